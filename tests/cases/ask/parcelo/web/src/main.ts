import express from "express";
import { makeTrackingNumber } from "./tracking";

const app = express();
app.get("/track/:number", (req, res) => res.json({ number: req.params.number, scans: [] }));
app.post("/parcels", (req, res) => res.status(201).json({ number: makeTrackingNumber(1, "DE") }));
app.listen(8080);
