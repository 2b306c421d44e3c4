import { createHash } from "node:crypto";

/** A tracking number: country, ten digits of the order, a check digit. */
export function makeTrackingNumber(order: number, country: string): string {
  const digits = String(order).padStart(10, "0");
  const check = [...digits].reduce((sum, d) => sum + Number(d), 0) % 10;
  return `${country}${digits}${check}`;
}

export function fingerprint(number: string): string {
  return createHash("sha256").update(number).digest("hex");
}
