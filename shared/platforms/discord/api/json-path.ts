/**
 * Readers for unvalidated input. The Discord front has to start in milliseconds, and a validation library would be two thirds of its
 * bundle. None of these functions throws; what is missing or has another type is undefined.
 */
export function readValue(of: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined,
    of,
  );
}

/** Reads a string; undefined for anything else. */
export function readString(of: unknown, ...path: readonly string[]): string | undefined {
  const value = readValue(of, ...path);
  return typeof value === 'string' ? value : undefined;
}

/** Reads a snowflake id: digits only, so that it cannot contain a separator of our keys. */
export function readId(of: unknown, ...path: readonly string[]): string | undefined {
  const value = readString(of, ...path);
  return value !== undefined && /^\d{1,20}$/.test(value) ? value : undefined;
}

/** Reads a number; undefined for anything else. */
export function readNumber(of: unknown, ...path: readonly string[]): number | undefined {
  const value = readValue(of, ...path);
  return typeof value === 'number' ? value : undefined;
}

/** Reads an array; an empty one for anything else. */
export function readList(of: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = readValue(of, ...path);
  return Array.isArray(value) ? value : [];
}

/** Reads a bit set, which Discord sends as a decimal string; empty for anything else. */
export function readBits(of: unknown, ...path: readonly string[]): bigint {
  const text = readString(of, ...path) ?? '';
  return /^\d{1,30}$/.test(text) ? BigInt(text) : 0n;
}
