/**
 * Readers for unvalidated input. The Discord front has to start in milliseconds, and a validation library would be two thirds of its
 * bundle. None of these functions throws; what is missing or has another type is undefined.
 */
export function at(of: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined,
    of,
  );
}

export function textAt(of: unknown, ...path: readonly string[]): string | undefined {
  const value = at(of, ...path);
  return typeof value === 'string' ? value : undefined;
}

/** Reads a snowflake id: digits only, so that it cannot contain a separator of our keys. */
export function idAt(of: unknown, ...path: readonly string[]): string | undefined {
  const value = textAt(of, ...path);
  return value !== undefined && /^\d{1,20}$/.test(value) ? value : undefined;
}

export function numberAt(of: unknown, ...path: readonly string[]): number | undefined {
  const value = at(of, ...path);
  return typeof value === 'number' ? value : undefined;
}

export function listAt(of: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = at(of, ...path);
  return Array.isArray(value) ? value : [];
}

/** Reads a bit set, which Discord sends as a decimal string; empty for anything else. */
export function readBits(of: unknown, ...path: readonly string[]): bigint {
  const text = textAt(of, ...path) ?? '';
  return /^\d{1,30}$/.test(text) ? BigInt(text) : 0n;
}
