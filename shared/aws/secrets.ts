import * as v from 'valibot';
import type { AwsCall } from './aws-request.ts';
import type { Clock } from '../runtime/time.ts';

const text = v.pipe(v.string(), v.minLength(1));

/** The Slack signing secret, and the one before it while it is being changed. */
export const slackSigning = v.object({ current: text, previous: v.optional(v.string()) });
/** The bot's token and its own user id. */
export const slackBot = v.object({ botToken: text, botUserId: v.optional(text) });
/** The token of the bot on Discord. */
export const discordBot = v.object({ botToken: text });
/** The app as others install it; empty or a placeholder where it is for one workspace alone. */
export const slackOAuth = v.object({ clientId: text, clientSecret: text });
/** The key of the models behind the bot, and others that may be used as well as it: each has limits of its own. */
export const upstreamKey = v.object({ apiKey: text, more: v.optional(v.array(text)) });
export type UpstreamKeys = v.InferOutput<typeof upstreamKey>;

/** One secret of Secrets Manager, kept for five minutes. */
export type Secret<T> = {
  /** The value; a value past its time is still given when it cannot be loaded again. Rejects if there never was one. */
  load(): Promise<T>;
  /** Loads it anew, because whom it was shown to refused it. Callers at the same time share one request. */
  refresh(): Promise<T>;
};

const CACHE_TTL_MS = 5 * 60_000;
/** After a failed load with an older value at hand, that value serves this long before the next try. */
const AGAIN_MS = 30_000;

const answer = v.object({ SecretString: v.string() });

/** A secret is missing or not as its shape says. Never holds a value. */
export class InvalidSecret extends Error {
  override readonly name = 'WrongSecret';
}

/** Reads secret `id` (name or ARN) as JSON of this shape. Concurrent loads share one request. */
export function secret<T>(
  id: string,
  shape: v.GenericSchema<unknown, T>,
  { aws, now }: { readonly aws: AwsCall; readonly now: Clock },
): Secret<T> {
  let held: { readonly value: T; readonly until: number } | undefined;
  let loading: Promise<T> | undefined;

  const fetch = async (): Promise<T> => {
    const input = JSON.stringify({ SecretId: id });
    const value = read(
      await aws({ service: 'secretsmanager', target: 'secretsmanager.GetSecretValue', input }),
      id,
      shape,
    );
    held = { value, until: now() + CACHE_TTL_MS };
    return value;
  };
  const refresh = (): Promise<T> => {
    loading ??= fetch().finally(() => (loading = undefined));
    return loading;
  };
  const load = async (): Promise<T> => {
    const old = held;
    if (old && now() < old.until) return old.value;
    if (!old) return refresh();
    return refresh().catch(() => {
      held = { value: old.value, until: now() + AGAIN_MS };
      return old.value;
    });
  };
  return { load, refresh };
}

/** Runs `run` once after `ms`. */
export type Schedule = (run: () => void, ms: number) => void;

/** By a timer that does not keep the process alive. While Lambda has frozen the process it waits, and is then late. */
export const onTimer: Schedule = (run, ms) => void setTimeout(run, ms).unref();

/** After the first loads failed, with no value at hand. */
const SOON_MS = 1_000;

/**
 * Loads the secret at once and again every five minutes, by the clock and never by a request: whoever knocks without a
 * valid signature costs no call. The function it returns waits for the first load alone, and gives undefined while there
 * is no value. `failed` is told the name of each error that kept it from loading; the value before stays.
 */
export function keepLoaded<T>(
  of: Pick<Secret<T>, 'refresh'>,
  { schedule, failed }: { readonly schedule: Schedule; readonly failed: (error: string) => void },
): () => Promise<T | undefined> {
  let value: T | undefined;
  const round = async (): Promise<void> => {
    try {
      // Twice: Lambda may have frozen the process with the first request half done.
      value = await of.refresh().catch(() => of.refresh());
      schedule(() => void round(), CACHE_TTL_MS);
    } catch (error) {
      failed(error instanceof Error ? error.name : 'unknown');
      schedule(() => void round(), value === undefined ? SOON_MS : AGAIN_MS);
    }
  };
  // Not in the middle of the start: a first request costs as much again as all the code that is being loaded.
  const first = new Promise((resolve) => void setImmediate(resolve)).then(round);
  return async () => {
    await first;
    return value;
  };
}

function read<T>(content: unknown, id: string, shape: v.GenericSchema<unknown, T>): T {
  const wrong = (what: readonly string[]) =>
    new InvalidSecret(`Secret ${id}: ${what.join(', ')} missing or wrong`);
  if (!v.is(answer, content)) throw wrong(['no SecretString']);
  const { success, output, issues } = v.safeParse(shape, parse(content.SecretString));
  if (success) return output;
  throw wrong(issues.map((issue) => v.getDotPath(issue) ?? 'not a JSON object'));
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
