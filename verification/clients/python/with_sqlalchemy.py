"""SQLAlchemy on psycopg2: Core, reflection and the ORM."""

import datetime
import decimal
import uuid

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.orm import Session, declarative_base, relationship, selectinload
from sqlalchemy.orm.exc import StaleDataError

from checks import fails, main, retried, same, together

Base = declarative_base()


class Author(Base):
    __tablename__ = "author"
    id = sa.Column(sa.Integer, primary_key=True)
    name = sa.Column(sa.String(40), nullable=False, unique=True, comment="as on the cover")
    born = sa.Column(sa.Date)
    version = sa.Column(sa.Integer, nullable=False)
    books = relationship("Book", back_populates="author", cascade="all, delete-orphan", order_by="Book.id")
    __mapper_args__ = {"version_id_col": version}


class Book(Base):
    __tablename__ = "book"
    id = sa.Column(sa.BigInteger, sa.Identity(), primary_key=True)
    author_id = sa.Column(sa.ForeignKey("author.id", ondelete="CASCADE"), nullable=False, index=True)
    title = sa.Column(sa.Text, nullable=False)
    price = sa.Column(sa.Numeric(10, 2), sa.CheckConstraint("price >= 0", name="price_is_positive"))
    tags = sa.Column(postgresql.ARRAY(sa.Text), server_default="{}")
    key = sa.Column(postgresql.UUID(as_uuid=True), default=uuid.uuid4)
    cover = sa.Column(sa.LargeBinary)
    read_at = sa.Column(sa.DateTime(timezone=True), server_default=sa.func.now())
    good = sa.Column(sa.Boolean, nullable=False, default=True)
    author = relationship("Author", back_populates="books")
    __table_args__ = (sa.UniqueConstraint("author_id", "title", name="one_title"), {"comment": "what was written"})


def engine_of(url):
    return sa.create_engine(url.replace("postgresql://", "postgresql+psycopg2://"), isolation_level="REPEATABLE READ")


def core(url):
    engine = engine_of(url)
    metadata = sa.MetaData()
    part = sa.Table("part", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.String(20)), sa.Column("n", sa.Integer))
    metadata.create_all(engine)
    metadata.create_all(engine)
    with engine.begin() as connection:
        same(connection.execute(part.insert().values(name="bolt", n=5)).inserted_primary_key[0], 1)
        connection.execute(part.insert(), [{"name": f"nut {i}", "n": i} for i in range(100)])
        upsert = postgresql.insert(part).values(id=1, name="new", n=7)
        upsert = upsert.on_conflict_do_update(index_elements=["id"], set_={"name": upsert.excluded.name})
        connection.execute(upsert)
        same(connection.execute(sa.select(part).where(part.c.id == 1)).one(), (1, "new", 5))
        ranked = sa.select(part.c.id, sa.func.rank().over(order_by=part.c.n.desc()).label("rank")).subquery()
        same(connection.execute(sa.select(ranked.c.id).where(ranked.c.rank <= 2).order_by(ranked.c.rank)).scalars().all(), [101, 100])
        common = sa.select(part.c.n).where(part.c.name.like("nut %")).cte("common")
        same(connection.execute(sa.select(sa.func.sum(common.c.n), sa.func.count())).one(), (4950, 100))
        same(connection.execute(part.update().where(part.c.n > 97).values(n=part.c.n + 1).returning(part.c.n)).scalars().all(), [99, 100])
        same(connection.execute(part.delete().where(part.c.id.in_([2, 3, 4]))).rowcount, 3)
        same(connection.execute(sa.select(sa.case((part.c.n > 50, "many"), else_="few"), sa.extract("year", sa.cast("2026-01-31", sa.Date))).limit(1)).one()[1], 2026)
        nested = connection.begin_nested()
        error = fails(IntegrityError, connection.execute, part.insert().values(id=1))
        same(error.orig.diag.constraint_name, "part_pkey")
        nested.rollback()
    with engine.connect() as connection:
        streamed = connection.execution_options(stream_results=True, yield_per=10).execute(sa.select(part.c.id))
        same(sum(1 for _ in streamed), 98)
    metadata.drop_all(engine)
    engine.dispose()


def reflection(url):
    engine = engine_of(url)
    Base.metadata.create_all(engine)
    inspector = sa.inspect(engine)
    same(sorted(inspector.get_table_names()), ["author", "book"])
    same(inspector.get_view_names(), [])
    same(inspector.default_schema_name, "public")
    same(inspector.get_pk_constraint("book"), {"constrained_columns": ["id"], "name": "book_pkey"})
    (key,) = inspector.get_foreign_keys("book")
    same((key["name"], key["constrained_columns"], key["referred_table"], key["options"]), ("book_author_id_fkey", ["author_id"], "author", {"ondelete": "CASCADE"}))
    (unique,) = inspector.get_unique_constraints("book")
    same((unique["name"], unique["column_names"]), ("one_title", ["author_id", "title"]))
    indexes = {i["name"]: (i["unique"], i["column_names"]) for i in inspector.get_indexes("book")}
    same(indexes, {"ix_book_author_id": (False, ["author_id"]), "one_title": (True, ["author_id", "title"])})
    (check,) = inspector.get_check_constraints("book")
    same(check["name"], "price_is_positive")
    same(inspector.get_table_comment("book"), {"text": "what was written"})
    columns = {column["name"]: column for column in inspector.get_columns("book")}
    same({name: str(column["type"]) for name, column in columns.items()}, {"id": "BIGINT", "author_id": "INTEGER", "title": "TEXT", "price": "NUMERIC(10, 2)", "tags": "ARRAY", "key": "UUID", "cover": "BYTEA", "read_at": "TIMESTAMP", "good": "BOOLEAN"})
    same({name for name, column in columns.items() if not column["nullable"]}, {"id", "author_id", "title", "good"})
    same((columns["id"]["identity"]["always"], columns["id"]["identity"]["start"]), (False, 1))
    same((columns["read_at"]["type"].timezone, columns["read_at"]["default"]), (True, "now()"))
    same(columns["tags"]["default"].removesuffix("::text[]"), "'{}'")
    columns = {column["name"]: column for column in inspector.get_columns("author")}
    same((columns["id"]["default"], columns["id"]["autoincrement"]), ("nextval('author_id_seq'::regclass)", True))
    same((str(columns["name"]["type"]), columns["name"]["comment"]), ("VARCHAR(40)", "as on the cover"))
    same(inspector.has_table("author"), True)
    same(inspector.has_table("nowhere"), False)
    same(sorted(inspector.get_sequence_names()), ["author_id_seq", "book_id_seq"])
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE VIEW titles AS SELECT title FROM book"))
    same(sa.inspect(engine).get_view_names(), ["titles"])
    assert "title" in sa.inspect(engine).get_view_definition("titles")
    with engine.begin() as connection:
        connection.execute(sa.text("DROP VIEW titles"))
    again = sa.MetaData()
    again.reflect(engine)
    same([c.target_fullname for c in again.tables["book"].foreign_keys], ["author.id"])
    again.drop_all(engine)
    same(sa.inspect(engine).get_table_names(), [])
    again.create_all(engine)
    same(sorted(sa.inspect(engine).get_table_names()), ["author", "book"])
    again.drop_all(engine)
    engine.dispose()


def orm(url):
    engine = engine_of(url)
    Base.metadata.create_all(engine)
    day = datetime.date(1815, 12, 10)
    with Session(engine) as session:
        ada = Author(name="Ada", born=day, books=[Book(title=f"Notes {i}", price=decimal.Decimal("1.50") * i, tags=["a", "b"], cover=b"\x00\xff") for i in range(3)])
        session.add_all([ada, Author(name="Grace")])
        session.commit()
        same((ada.id, ada.version, [book.id for book in ada.books]), (1, 1, [1, 2, 3]))
    with Session(engine) as session:
        (found,) = session.scalars(sa.select(Author).where(Author.books.any(Book.tags.any("a"))).options(selectinload(Author.books)))
        same((found.born, [book.price for book in found.books][1:]), (day, [decimal.Decimal("1.50"), decimal.Decimal("3.00")]))
        same((bytes(found.books[0].cover), found.books[0].read_at.utcoffset(), type(found.books[0].key)), (b"\x00\xff", datetime.timedelta(0), uuid.UUID))
        joined = session.execute(sa.select(Author.name, sa.func.count(Book.id)).outerjoin(Book).group_by(Author.name).order_by(Author.name))
        same(joined.all(), [("Ada", 3), ("Grace", 0)])
        found.books.pop(0)
        found.name = "Ada Lovelace"
        session.commit()
        same((found.version, len(found.books)), (2, 2))
    with Session(engine) as one, Session(engine) as two:
        mine, other = one.get(Author, 2), two.get(Author, 2)
        two.commit()
        mine.name = "Grace Hopper"
        one.commit()
        same(other.version, 2)
        two.rollback()
        stale = sa.update(Author).where(Author.id == 2, Author.version == 1).values(name="nobody")
        same(two.execute(stale).rowcount, 0)
        two.rollback()
        other = two.get(Author, 2)
        two.execute(sa.update(Author).where(Author.id == 2).values(version=7).execution_options(synchronize_session=False))
        other.name = "late"
        fails(StaleDataError, two.flush)
        two.rollback()
    with Session(engine) as session:
        session.add(Author(name="Ada Lovelace"))
        error = fails(IntegrityError, session.commit)
        same((error.orig.pgcode, error.orig.diag.constraint_name), ("23505", "author_name_key"))
        session.rollback()
        session.delete(session.get(Author, 1))
        session.commit()
        same(session.scalar(sa.select(sa.func.count()).select_from(Book)), 0)
    Base.metadata.drop_all(engine)
    engine.dispose()


def conflicts(url):
    engine = engine_of(url)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all([Author(name="A", books=[Book(title="t", price=0)]), Author(name="B")])
        session.commit()

    def add():
        def transaction():
            with Session(engine) as session, session.begin():
                author = session.get(Author, 1)
                book = session.scalars(sa.select(Book).where(Book.author_id == 1).with_for_update()).one()
                book.price += 1
                author.born = datetime.date(2000, 1, 1) + datetime.timedelta(int(book.price))

        for _ in range(30):
            retried(transaction, lambda e: isinstance(e, StaleDataError) or isinstance(e, DBAPIError) and e.orig.pgcode == "40001")

    together(add, add, add)
    with Session(engine) as session:
        author = session.get(Author, 1)
        same((author.version, author.born, author.books[0].price), (91, datetime.date(2000, 3, 31), decimal.Decimal("90.00")))
    Base.metadata.drop_all(engine)
    engine.dispose()


main(core, reflection, orm, conflicts)
