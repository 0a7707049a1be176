/** Levels of the log, the least important first. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/**
 * What a line of the log may say. Names, ids and figures only; anything else is left out, so that neither a message nor
 * a secret gets there by mistake: the types let no other be named where a line is written. Ids of people and messages name,
 * they do not quote.
 */
const FACTS = [
  'afterMs attempt attempts bytes cachedTokens channel code completionTokens count crashes entries erased',
  'error failed failures family fence finish granted group job keyName kind last message messageId method',
  'model ms name outcome partial parts pieces platform promptTokens reason reasoningTokens receives',
  'requestId retryAfterMs retryNum retryReason root round service state status thread tokens tool',
  'translated turn type user waitMs what why wish workspace',
] as const;
/** Names apart by blanks: as a list of names they would be 100 bytes more of the smallest front. */
type NamesIn<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | NamesIn<Rest>
  : Text;
/** The empty name, before the first blank, is the one that JSON gives a line as a whole. */
const ALLOWED: ReadonlySet<string> = new Set(` timestamp level event ${FACTS.join(' ')}`.split(' '));

const LONGEST = 200;

export type Facts = {
  readonly [name in NamesIn<(typeof FACTS)[number]>]?: string | number | boolean | undefined;
};

/** Says what happened; never what was said. */
export type Log = (event: string, facts?: Facts) => void;

/**
 * Writes one JSON line per event to `write`, at `least` and above. Lambda takes the level from a line only where it has a `timestamp` as
 * RFC 3339 writes one; without it every line becomes INFO (Lambda, "Log-level filtering").
 */
export function logger(least: Level, write: (line: string) => void, now: () => number): Record<Level, Log> {
  const at =
    (level: Level): Log =>
    (event, facts = {}) => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      write(JSON.stringify({ timestamp: new Date(now()).toISOString(), level, event, ...facts }, allowed));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function allowed(name: string, value: unknown): unknown {
  if (!ALLOWED.has(name)) return undefined;
  return typeof value === 'string' ? value.slice(0, LONGEST) : value;
}
