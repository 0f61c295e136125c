"""Alembic: migrations up, down and generated, on SQLAlchemy and psycopg2."""

import pathlib
import sys
import tempfile

import alembic.command
import alembic.config
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from checks import fails, main, same

ENVIRONMENT = """
from alembic import context
import sqlalchemy as sa

engine = sa.create_engine(context.config.get_main_option("sqlalchemy.url"))
with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=None)
    with context.begin_transaction():
        context.run_migrations()
engine.dispose()
"""

REVISION = """
from alembic import op
import sqlalchemy as sa

revision = {revision!r}
down_revision = {before!r}

def upgrade():
{up}

def downgrade():
{down}
"""

REVISIONS = [
    (
        "one",
        """
    op.create_table("customer", sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.String(30), nullable=False))
    op.create_table("invoice", sa.Column("id", sa.Integer, primary_key=True), sa.Column("customer_id", sa.Integer, sa.ForeignKey("customer.id")))
    op.bulk_insert(sa.table("customer", sa.column("name", sa.String)), [{"name": "Ada"}, {"name": "Grace"}])
""",
        """
    op.drop_table("invoice")
    op.drop_table("customer")
""",
    ),
    (
        "two",
        """
    op.add_column("customer", sa.Column("email", sa.Text))
    op.execute("UPDATE customer SET email = lower(name) || '@example.org'")
    op.alter_column("customer", "email", nullable=False)
    op.alter_column("customer", "name", type_=sa.String(60), existing_type=sa.String(30))
    op.create_index("customer_name", "customer", ["name"])
    op.create_unique_constraint("one_email", "customer", ["email"])
    op.create_check_constraint("has_at", "customer", "email LIKE '%@%'")
    op.alter_column("invoice", "customer_id", new_column_name="customer")
    op.rename_table("invoice", "bill")
""",
        """
    op.rename_table("bill", "invoice")
    op.alter_column("invoice", "customer", new_column_name="customer_id")
    op.drop_constraint("has_at", "customer")
    op.drop_constraint("one_email", "customer")
    op.drop_index("customer_name")
    op.drop_column("customer", "email")
""",
    ),
    (
        "bad",
        """
    op.add_column("customer", sa.Column("age", sa.Integer))
    op.execute("INSERT INTO customer (name, email) VALUES ('x', 'no address')")
""",
        "    pass",
    ),
]


def migrations(url):
    engine = sa.create_engine(url)

    def columns():
        return [column["name"] for column in sa.inspect(engine).get_columns("customer")]

    def revision():
        with engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()

    with tempfile.TemporaryDirectory() as directory:
        home = pathlib.Path(directory)
        (home / "versions").mkdir()
        (home / "env.py").write_text(ENVIRONMENT)
        before = None
        for name, up, down in REVISIONS:
            (home / "versions" / f"{name}.py").write_text(REVISION.format(revision=name, before=before, up=up, down=down))
            before = name
        config = alembic.config.Config(stdout=sys.stdout)
        config.set_main_option("script_location", directory)
        config.set_main_option("sqlalchemy.url", url)
        alembic.command.upgrade(config, "two")
        same((revision(), columns()), ("two", ["id", "name", "email"]))
        with engine.connect() as connection:
            rows = connection.execute(sa.text("SELECT id, name, email FROM customer ORDER BY id")).all()
            same([tuple(row) for row in rows], [(1, "Ada", "ada@example.org"), (2, "Grace", "grace@example.org")])
        same(sorted(sa.inspect(engine).get_table_names()), ["alembic_version", "bill", "customer"])
        error = fails(sa.exc.IntegrityError, alembic.command.upgrade, config, "head")
        same(error.orig.diag.constraint_name, "has_at")
        same((revision(), columns()), ("two", ["id", "name", "email"]))
        metadata = sa.MetaData()
        sa.Table("alembic_version", metadata, sa.Column("version_num", sa.String(32), primary_key=True))
        sa.Table(
            "customer",
            metadata,
            sa.Column("id", sa.Integer, primary_key=True),
            sa.Column("name", sa.String(60), nullable=False, index=False),
            sa.Column("email", sa.Text, nullable=False),
            sa.Column("added", sa.Date),
            sa.UniqueConstraint("email", name="one_email"),
            sa.Index("customer_name", "name"),
        )
        sa.Table("bill", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("customer", sa.Integer, sa.ForeignKey("customer.id")))
        with engine.connect() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            differences = compare_metadata(context, metadata)
        same([(kind, table, column.name) for kind, _, table, column in differences], [("add_column", "customer", "added")])
        alembic.command.downgrade(config, "one")
        same((revision(), columns()), ("one", ["id", "name"]))
        alembic.command.downgrade(config, "base")
        alembic.command.stamp(config, "one")
        same(revision(), "one")
        alembic.command.stamp(config, "base")
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE alembic_version"))
    engine.dispose()


main(migrations)
