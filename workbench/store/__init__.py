"""The database: tables, engine, migrations and queries. A Session never leaves this folder."""
