/** What a recorded body holds in place of ids, once somebody has made it public, and what nobody should send. */
export const SCRUBBED = [
  'DM_CHANNEL_123',
  'T_INSTALLED',
  '',
  '#',
  '-1',
  '1e400',
  '99999999999999999999.9',
  'x'.repeat(300),
  null,
  7,
  {},
] as const;

/** A body, and where and by what it was changed. */
type Changed = { readonly where: string; readonly body: unknown };

/** The body with each of its values replaced in turn by each of these. */
export function* everywhere(body: unknown, values: readonly unknown[] = SCRUBBED): Generator<Changed> {
  for (const path of leavesOf(body)) {
    for (const value of values) {
      yield { where: `${path.join('.')} = ${JSON.stringify(value)}`, body: replaced(body, path, value) };
    }
  }
}

type Path = readonly string[];
const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

function leavesOf(value: unknown, at: Path = []): Path[] {
  if (!isBranch(value)) return [at];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...at, key]));
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined || !isBranch(value)) return by;
  const inner = replaced(Reflect.get(value, key), rest, by);
  return Array.isArray(value)
    ? value.map((one: unknown, n) => (String(n) === key ? inner : one))
    : { ...value, [key]: inner };
}
