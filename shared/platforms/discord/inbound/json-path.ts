/**
 * Reading what came from outside by hand: the front that Discord calls has to start in milliseconds, and a validator
 * would be two thirds of it. Nothing here throws; what is missing or of another kind is undefined.
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

/** One of Discord's ids: digits, and nothing that could join keys of ours. */
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

/** A bit set as Discord writes it, a decimal number; empty for anything else. */
export function bitsAt(of: unknown, ...path: readonly string[]): bigint {
  const text = textAt(of, ...path) ?? '';
  return /^\d{1,30}$/.test(text) ? BigInt(text) : 0n;
}
