import type { SlackDeps } from '../deps.ts';
import type { FindDisplayName } from './display-name.ts';

/** How `readText` and `readTypedText` leave the mention of a person, whom Slack names by id: `@U1`, `<@U1|ada>`. Not `<@U1>`, which is ours. */
export const MENTION = /(?<![\w<])@([UW][A-Z0-9]{6,20})\b|<@([UW][A-Z0-9]{6,20})\|[^<>]*>/gu;
const MAX_NAMES = 50;
const MAX_NAME_LENGTH = 80;
/** An answer waits for the names. */
const NAMES_TIMEOUT_MS = 3_000;

/** Returns the texts with `@name` in place of the ids of the first 50 people whom they mention. Unknown ids stay. Never rejects. */
export async function nameMentions(
  texts: readonly string[],
  findDisplayName: FindDisplayName,
): Promise<readonly string[]> {
  const ids = new Set(
    texts.flatMap((text) => [...text.matchAll(MENTION)].map(([, bare, id = '']) => bare ?? id)),
  );
  const entries = [...ids].slice(0, MAX_NAMES).map(async (id): Promise<[string, string]> => {
    const name = await findDisplayName(id);
    return [id, name === `<@${id}>` ? '' : name.slice(0, MAX_NAME_LENGTH).toWellFormed()];
  });
  const names = new Map(await Promise.all(entries));
  return texts.map((text) =>
    text.replace(MENTION, (whole, bare: string | undefined, id: string) =>
      nameOr(whole, names.get(bare ?? id)),
    ),
  );
}

const nameOr = (mention: string, name: string | undefined): string => (name ? `@${name}` : mention);

/** Runs work that waits for names: those that are not known after 3 s in all are `<@U…>`, as if Slack did not tell them. */
export async function withinTime<T>(
  findDisplayName: FindDisplayName,
  { sleep }: SlackDeps['time'],
  work: (findDisplayName: FindDisplayName) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const late = sleep(NAMES_TIMEOUT_MS, over.signal).catch(() => undefined);
  try {
    return await work((id) => Promise.race([findDisplayName(id), late.then(() => `<@${id}>`)]));
  } finally {
    over.abort();
  }
}
