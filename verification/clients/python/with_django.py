"""Django: its own tables by its migrations, an application's by its schema editor, and its ORM."""

import datetime
import decimal
import sys
import urllib.parse
import uuid

import django
from django.conf import settings

from checks import fails, main, retried, same, together

parts = urllib.parse.urlparse(sys.argv[1])
settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": parts.path[1:],
            "USER": parts.username,
            "HOST": parts.hostname,
            "PORT": parts.port,
        }
    },
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
    SECRET_KEY="x",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
)
django.setup()

from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command
from django.db import IntegrityError, OperationalError, connection, models, transaction
from django.db.models import Count, F, Q, Sum


class Shelf(models.Model):
    code = models.CharField(max_length=10, unique=True)
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "auth"


class Item(models.Model):
    shelf = models.ForeignKey(Shelf, on_delete=models.CASCADE, related_name="items")
    key = models.UUIDField(default=uuid.uuid4)
    price = models.DecimalField(max_digits=8, decimal_places=2)
    day = models.DateField(null=True)
    note = models.TextField(default="")
    raw = models.BinaryField(default=b"")
    good = models.BooleanField(default=True)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        app_label = "auth"
        indexes = [models.Index(fields=["day"], name="item_day")]
        constraints = [models.CheckConstraint(check=Q(price__gte=0), name="price_is_positive")]


def migrations(url):
    call_command("migrate", verbosity=0)
    tables = connection.introspection.table_names()
    assert {"django_migrations", "auth_user", "auth_permission", "django_session"} <= set(tables), tables
    same(Permission.objects.count(), 20)
    ada = User.objects.create_user("ada", "ada@example.org", "secret")
    ada.groups.add(Group.objects.create(name="readers"))
    same(User.objects.get(groups__name="readers").check_password("secret"), True)
    call_command("migrate", "sessions", "zero", verbosity=0)
    assert "django_session" not in connection.introspection.table_names()
    call_command("flush", verbosity=0, interactive=False)
    same(User.objects.count(), 0)


def schema(url):
    with connection.schema_editor() as editor:
        editor.create_model(Shelf)
        editor.create_model(Item)
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "auth_item")
        same(found["price_is_positive"]["check"], True)
        same(found["item_day"]["columns"], ["day"])
        same([c["foreign_key"] for c in found.values() if c["foreign_key"]], [("auth_shelf", "id")])
        same(connection.introspection.get_primary_key_column(cursor, "auth_item"), "id")
        described = connection.introspection.get_table_description(cursor, "auth_item")
        same({c.name for c in described if c.null_ok}, {"day"})
        same([s["column"] for s in connection.introspection.get_sequences(cursor, "auth_item")], ["id"])
    added = models.IntegerField(default=7)
    added.set_attributes_from_name("extra")
    changed = models.CharField(max_length=20, unique=True)
    changed.set_attributes_from_name("code")
    changed.model = Shelf
    with connection.schema_editor() as editor:
        editor.add_field(Item, added)
        editor.alter_field(Shelf, Shelf._meta.get_field("code"), changed)
    with connection.schema_editor() as editor:
        editor.remove_field(Item, added)


def orm(url):
    shelf = Shelf.objects.create(code="A")
    Item.objects.bulk_create([Item(shelf=shelf, price=decimal.Decimal(i) / 2, raw=b"\x00\xff", day=datetime.date(2026, 1, 1 + i)) for i in range(10)])
    same(Item.objects.filter(day__year=2026, day__month=1, price__gt=2).count(), 5)
    item = Item.objects.select_related("shelf").get(day=datetime.date(2026, 1, 3))
    same((item.shelf.code, item.price, bytes(item.raw), item.good), ("A", decimal.Decimal("1.00"), b"\x00\xff", True))
    assert item.shelf.made.tzinfo is not None
    same(Item.objects.filter(pk=item.pk).update(count=F("count") + 5), 1)
    item.refresh_from_db()
    same(item.count, 5)
    (summed,) = Shelf.objects.annotate(total=Sum("items__price"), n=Count("items")).values_list("total", "n")
    same(summed, (decimal.Decimal("22.50"), 10))
    same([i.pk for i in Item.objects.order_by("-price")[2:4]], [8, 7])
    same(sorted(Item.objects.in_bulk([1, 2])), [1, 2])
    same(Shelf.objects.filter(code__icontains="a", items__note__startswith="").distinct().count(), 1)
    same(sum(1 for _ in Item.objects.iterator(chunk_size=3)), 10)
    same(Shelf.objects.get_or_create(code="A")[1], False)
    same(Shelf.objects.update_or_create(code="B")[1], True)
    same([d.day for d in Item.objects.dates("day", "day")][:2], [1, 2])

    def duplicate():
        with transaction.atomic():
            Shelf.objects.create(code="A")

    with transaction.atomic():
        fails(IntegrityError, duplicate)
        error = fails(IntegrityError, lambda: transaction.atomic()(lambda: Item.objects.create(shelf=shelf, price=-1))())
        same(error.__cause__.diag.constraint_name, "price_is_positive")
        same(Shelf.objects.count(), 2)
    same(Shelf.objects.filter(code="A").delete()[0], 11)
    same(Item.objects.count(), 0)


def conflicts(url):
    shelf = Shelf.objects.create(code="C")
    item = Item.objects.create(shelf=shelf, price=1)

    def add():
        def change():
            with transaction.atomic():
                one = Item.objects.select_for_update().get(pk=item.pk)
                one.count += 1
                one.save()

        for _ in range(30):
            retried(change, lambda e: isinstance(e, OperationalError) and e.__cause__.pgcode == "40001")
        connection.close()

    together(add, add, add)
    item.refresh_from_db()
    same(item.count, 90)
    with connection.schema_editor() as editor:
        editor.delete_model(Item)
        editor.delete_model(Shelf)
    connection.close()


main(migrations, schema, orm, conflicts)
