/** Levels of the log, the least important first. */
export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/**
 * What a line of the log may say. Names, ids and figures only; anything else is left out, so that neither a message nor
 * a secret gets there by mistake. Ids of people and messages name, they do not quote.
 */
const ALLOWED = new Set(
  (
    'afterMs attempt attempts bytes cachedTokens channel code completionTokens count error family fence finish granted ' +
    'group job keyName kind last message messageId method model ms outcome parts promptTokens reason reasoningTokens receives requestId ' +
    'retryAfterMs retryNum retryReason root service state status thread tokens turn type waitMs why workspace'
  ).split(' '),
);

const LONGEST = 200;

export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

/** Says what happened; never what was said. */
export type Log = (event: string, facts?: Facts) => void;

/** Writes one JSON line per event to `write`, at `level` and above. */
export function logger(least: Level, write: (line: string) => void, now: () => number): Record<Level, Log> {
  const at =
    (level: Level): Log =>
    (event, facts = {}) => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      write(JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...allowed(facts) }));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function allowed(facts: Facts): Facts {
  const kept = Object.entries(facts).filter(([name]) => ALLOWED.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, LONGEST) : value]),
  );
}
