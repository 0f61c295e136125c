/*
 * The native half of DiSNI 2.1, written for NamDB. DiSNI's jar declares these functions (see `javap com.ibm.disni.verbs.impl.NativeDispatcher`)
 * and brings no library that implements them. This file is ours: written from those declarations and from the manual pages of libibverbs and
 * librdmacm, and not taken from the DiSNI project, whose own libdisni.so serves as well where an operator has installed it.
 *
 * Objects of the verbs libraries go to Java as the addresses that they have here. A function that is declared to throw throws an IOException
 * that says which call failed and why; the others return what the call returned.
 */
#include <errno.h>
#include <jni.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_com_ibm_disni_verbs_impl_NativeDispatcher__1##name
#define AT(type, object) ((type *)(uintptr_t)(object))
#define ID(object) ((jlong)(uintptr_t)(object))

/* The version of this interface that the jar requires. */
#define DISNI_VERSION 32

/* Of the READs and atomics that a peer may have under way: what both devices can do. librdmacm takes the smaller number. */
#define MOST_RESOURCES 0xff

static void fail(JNIEnv *env, const char *call, int error) {
    char text[160];
    jclass thrown = (*env)->FindClass(env, "java/io/IOException");
    snprintf(text, sizeof text, "%s: %s", call, strerror(error));
    if (thrown != NULL) {
        (*env)->ThrowNew(env, thrown, text);
    }
}

/* For calls that return 0, or -1 and errno. */
static void check(JNIEnv *env, const char *call, int result) {
    if (result != 0) {
        fail(env, call, errno);
    }
}

/* For calls that return an object, or NULL and errno. */
static jlong object(JNIEnv *env, const char *call, void *result) {
    if (result == NULL) {
        fail(env, call, errno);
    }
    return ID(result);
}

/* Waits until a descriptor can be read: 1; or for so many milliseconds: 0. A negative time is for ever. */
static int await_readable(int descriptor, int milliseconds) {
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    return poll(&one, 1, milliseconds) > 0;
}

/* ---- connections ---- */

NATIVE(jlong, createEventChannel)(JNIEnv *env, jobject self) {
    return object(env, "rdma_create_event_channel", rdma_create_event_channel());
}

NATIVE(jlong, createId)(JNIEnv *env, jobject self, jlong channel, jshort port_space) {
    struct rdma_cm_id *id = NULL;
    check(env, "rdma_create_id", rdma_create_id(AT(struct rdma_event_channel, channel), &id, NULL, (enum rdma_port_space)port_space));
    return ID(id);
}

NATIVE(jlong, createQP)
(JNIEnv *env, jobject self, jlong id, jlong domain, jlong send_queue, jlong receive_queue, jint type, jint sends, jint receives, jint inline_bytes) {
    struct rdma_cm_id *connection = AT(struct rdma_cm_id, id);
    struct ibv_qp_init_attr attributes = {
        .send_cq = AT(struct ibv_cq, send_queue),
        .recv_cq = AT(struct ibv_cq, receive_queue),
        .qp_type = (enum ibv_qp_type)type,
        .cap = {.max_send_wr = (uint32_t)sends,
                .max_recv_wr = (uint32_t)receives,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = (uint32_t)inline_bytes},
    };
    check(env, "rdma_create_qp", rdma_create_qp(connection, AT(struct ibv_pd, domain), &attributes));
    return ID(connection->qp);
}

NATIVE(void, bindAddr)(JNIEnv *env, jobject self, jlong id, jlong address) {
    check(env, "rdma_bind_addr", rdma_bind_addr(AT(struct rdma_cm_id, id), AT(struct sockaddr, address)));
}

NATIVE(void, listen)(JNIEnv *env, jobject self, jlong id, jint backlog) {
    check(env, "rdma_listen", rdma_listen(AT(struct rdma_cm_id, id), backlog));
}

NATIVE(void, resolveAddr)(JNIEnv *env, jobject self, jlong id, jlong source, jlong target, jint milliseconds) {
    check(env,
          "rdma_resolve_addr",
          rdma_resolve_addr(AT(struct rdma_cm_id, id), AT(struct sockaddr, source), AT(struct sockaddr, target), milliseconds));
}

NATIVE(void, resolveRoute)(JNIEnv *env, jobject self, jlong id, jint milliseconds) {
    check(env, "rdma_resolve_route", rdma_resolve_route(AT(struct rdma_cm_id, id), milliseconds));
}

/* The event's number, or -1 if none came in time. It is acknowledged here, as nothing but its number and its ids goes to Java. */
NATIVE(jint, getCmEvent)(JNIEnv *env, jobject self, jlong channel, jlong listener, jlong client, jint milliseconds) {
    struct rdma_event_channel *events = AT(struct rdma_event_channel, channel);
    struct rdma_cm_event *event = NULL;
    if (!await_readable(events->fd, milliseconds) || rdma_get_cm_event(events, &event) != 0) {
        return -1;
    }
    jint number = (jint)event->event;
    *AT(jlong, listener) = ID(event->listen_id);
    *AT(jlong, client) = ID(event->id);
    rdma_ack_cm_event(event);
    return number;
}

static struct rdma_conn_param parameters(jint retries, jint receiver_retries) {
    struct rdma_conn_param both = {
        .responder_resources = MOST_RESOURCES,
        .initiator_depth = MOST_RESOURCES,
        .retry_count = (uint8_t)retries,
        .rnr_retry_count = (uint8_t)receiver_retries,
    };
    return both;
}

NATIVE(void, connect)(JNIEnv *env, jobject self, jlong id, jint retries, jint receiver_retries, jlong data, jbyte bytes) {
    struct rdma_conn_param how = parameters(retries, receiver_retries);
    how.private_data = AT(void, data);
    how.private_data_len = data == 0 ? 0 : (uint8_t)bytes;
    check(env, "rdma_connect", rdma_connect(AT(struct rdma_cm_id, id), &how));
}

NATIVE(void, accept)(JNIEnv *env, jobject self, jlong id, jint retries, jint receiver_retries) {
    struct rdma_conn_param how = parameters(retries, receiver_retries);
    check(env, "rdma_accept", rdma_accept(AT(struct rdma_cm_id, id), &how));
}

/* Events are acknowledged where they are taken. */
NATIVE(jint, ackCmEvent)(JNIEnv *env, jobject self, jint event) {
    return 0;
}

NATIVE(jint, disconnect)(JNIEnv *env, jobject self, jlong id) {
    return rdma_disconnect(AT(struct rdma_cm_id, id));
}

NATIVE(jint, destroyEventChannel)(JNIEnv *env, jobject self, jlong channel) {
    rdma_destroy_event_channel(AT(struct rdma_event_channel, channel));
    return 0;
}

NATIVE(jint, destroyCmId)(JNIEnv *env, jobject self, jlong id) {
    return rdma_destroy_id(AT(struct rdma_cm_id, id));
}

/* The queue pair of this id. */
NATIVE(jint, destroyQP)(JNIEnv *env, jobject self, jlong id) {
    rdma_destroy_qp(AT(struct rdma_cm_id, id));
    return 0;
}

NATIVE(jint, destroyEp)(JNIEnv *env, jobject self, jlong id) {
    rdma_destroy_ep(AT(struct rdma_cm_id, id));
    return 0;
}

static jint copy_address(const struct sockaddr *from, jlong to) {
    if (from == NULL || from->sa_family != AF_INET) {
        return -1;
    }
    memcpy(AT(void, to), from, sizeof(struct sockaddr_in));
    return 0;
}

NATIVE(jint, getSrcAddr)(JNIEnv *env, jobject self, jlong id, jlong address) {
    return copy_address(rdma_get_local_addr(AT(struct rdma_cm_id, id)), address);
}

NATIVE(jint, getDstAddr)(JNIEnv *env, jobject self, jlong id, jlong address) {
    return copy_address(rdma_get_peer_addr(AT(struct rdma_cm_id, id)), address);
}

/* ---- resources ---- */

NATIVE(jlong, getContext)(JNIEnv *env, jobject self, jlong id) {
    errno = ENODEV; /* an id that is bound to no device has none */
    return object(env, "the device of a connection", AT(struct rdma_cm_id, id)->verbs);
}

NATIVE(jlong, allocPd)(JNIEnv *env, jobject self, jlong context) {
    return object(env, "ibv_alloc_pd", ibv_alloc_pd(AT(struct ibv_context, context)));
}

NATIVE(jint, deallocPd)(JNIEnv *env, jobject self, jlong domain) {
    return ibv_dealloc_pd(AT(struct ibv_pd, domain));
}

NATIVE(jint, getPdHandle)(JNIEnv *env, jobject self, jlong domain) {
    return (jint)AT(struct ibv_pd, domain)->handle;
}

NATIVE(jlong, createCompChannel)(JNIEnv *env, jobject self, jlong context) {
    return object(env, "ibv_create_comp_channel", ibv_create_comp_channel(AT(struct ibv_context, context)));
}

NATIVE(jint, destroyCompChannel)(JNIEnv *env, jobject self, jlong channel) {
    return ibv_destroy_comp_channel(AT(struct ibv_comp_channel, channel));
}

/* The channel may be 0: a queue that is only polled. */
NATIVE(jlong, createCQ)(JNIEnv *env, jobject self, jlong context, jlong channel, jint entries, jint vector) {
    return object(
        env,
        "ibv_create_cq",
        ibv_create_cq(AT(struct ibv_context, context), entries, NULL, AT(struct ibv_comp_channel, channel), vector));
}

NATIVE(jint, destroyCQ)(JNIEnv *env, jobject self, jlong queue) {
    return ibv_destroy_cq(AT(struct ibv_cq, queue));
}

/* DiSNI gives no attributes: all that Java can ask for is the error state, which ends what is under way. */
NATIVE(jint, modifyQP)(JNIEnv *env, jobject self, jlong pair, jlong unused) {
    struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_ERR};
    int error = ibv_modify_qp(AT(struct ibv_qp, pair), &attributes, IBV_QP_STATE);
    if (error != 0) {
        fail(env, "ibv_modify_qp", error);
        return -1;
    }
    return 0;
}

NATIVE(jint, getQpNum)(JNIEnv *env, jobject self, jlong pair) {
    return (jint)AT(struct ibv_qp, pair)->qp_num;
}

NATIVE(jint, getContextFd)(JNIEnv *env, jobject self, jlong context) {
    return AT(struct ibv_context, context)->cmd_fd;
}

NATIVE(jint, getContextNumCompVectors)(JNIEnv *env, jobject self, jlong context) {
    return AT(struct ibv_context, context)->num_comp_vectors;
}

NATIVE(jlong, regMr)
(JNIEnv *env, jobject self, jlong domain, jlong address, jint bytes, jint access, jlong local_key, jlong remote_key, jlong handle) {
    struct ibv_mr *memory = ibv_reg_mr(AT(struct ibv_pd, domain), AT(void, address), (size_t)bytes, access);
    if (memory != NULL) {
        *AT(uint32_t, local_key) = memory->lkey;
        *AT(uint32_t, remote_key) = memory->rkey;
        *AT(uint32_t, handle) = memory->handle;
    }
    return object(env, "ibv_reg_mr", memory);
}

NATIVE(void, deregMr)(JNIEnv *env, jobject self, jlong memory) {
    int error = ibv_dereg_mr(AT(struct ibv_mr, memory));
    if (error != 0) {
        fail(env, "ibv_dereg_mr", error);
    }
}

/* Memory is registered as a whole: nothing is paged in on demand. */
NATIVE(jint, queryOdpSupport)(JNIEnv *env, jobject self, jlong context) {
    return -1;
}

NATIVE(jint, expPrefetchMr)(JNIEnv *env, jobject self, jlong memory, jlong address, jint bytes) {
    return -1;
}

/* ---- verbs ---- */

NATIVE(void, postSend)(JNIEnv *env, jobject self, jlong pair, jlong first) {
    struct ibv_send_wr *refused = NULL;
    int error = ibv_post_send(AT(struct ibv_qp, pair), AT(struct ibv_send_wr, first), &refused);
    if (error != 0) {
        fail(env, "ibv_post_send", error);
    }
}

NATIVE(void, postRecv)(JNIEnv *env, jobject self, jlong pair, jlong first) {
    struct ibv_recv_wr *refused = NULL;
    int error = ibv_post_recv(AT(struct ibv_qp, pair), AT(struct ibv_recv_wr, first), &refused);
    if (error != 0) {
        fail(env, "ibv_post_recv", error);
    }
}

NATIVE(jint, pollCQ)(JNIEnv *env, jobject self, jlong queue, jint most, jlong completions) {
    return ibv_poll_cq(AT(struct ibv_cq, queue), most, AT(struct ibv_wc, completions));
}

NATIVE(jint, reqNotifyCQ)(JNIEnv *env, jobject self, jlong queue, jint solicited_only) {
    int error = ibv_req_notify_cq(AT(struct ibv_cq, queue), solicited_only);
    if (error != 0) {
        fail(env, "ibv_req_notify_cq", error);
    }
    return error;
}

/* 0 if there was an event, which Java acknowledges; -1 if none came in time. */
NATIVE(jint, getCqEvent)(JNIEnv *env, jobject self, jlong channel, jint milliseconds) {
    struct ibv_comp_channel *events = AT(struct ibv_comp_channel, channel);
    struct ibv_cq *queue = NULL;
    void *context = NULL;
    if (!await_readable(events->fd, milliseconds) || ibv_get_cq_event(events, &queue, &context) != 0) {
        return -1;
    }
    return 0;
}

NATIVE(jint, ackCqEvent)(JNIEnv *env, jobject self, jlong queue, jint events) {
    ibv_ack_cq_events(AT(struct ibv_cq, queue), (unsigned)events);
    return 0;
}

/* ---- what Java checks its own layouts by ---- */

NATIVE(jint, getSockAddrInSize)(JNIEnv *env, jobject self) {
    return sizeof(struct sockaddr_in);
}

NATIVE(jint, getIbvRecvWRSize)(JNIEnv *env, jobject self) {
    return sizeof(struct ibv_recv_wr);
}

NATIVE(jint, getIbvSendWRSize)(JNIEnv *env, jobject self) {
    return sizeof(struct ibv_send_wr);
}

NATIVE(jint, getIbvSgeSize)(JNIEnv *env, jobject self) {
    return sizeof(struct ibv_sge);
}

NATIVE(jint, getIbvWCSize)(JNIEnv *env, jobject self) {
    return sizeof(struct ibv_wc);
}

NATIVE(jint, getRemoteAddressOffset)(JNIEnv *env, jobject self) {
    return offsetof(struct ibv_send_wr, wr.rdma.remote_addr);
}

NATIVE(jint, getRKeyOffset)(JNIEnv *env, jobject self) {
    return offsetof(struct ibv_send_wr, wr.rdma.rkey);
}

NATIVE(jint, getVersion)(JNIEnv *env, jobject self) {
    return DISNI_VERSION;
}
