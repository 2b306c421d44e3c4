-- 004: what a server of documents charged for a run (Azure Cosmos DB: request units).

ALTER TABLE runs ADD COLUMN request_units DOUBLE PRECISION NOT NULL DEFAULT 0;
