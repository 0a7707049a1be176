import type { FindDisplayName } from './display-name.ts';

/** How `readText` and `readTypedText` leave the mention of a person, whom Slack names by id: `@U1`, `<@U1|ada>`. Not `<@U1>`, which is ours. */
export const MENTION = /(?<![\w<])@([UW][A-Z0-9]{6,20})\b|<@([UW][A-Z0-9]{6,20})\|[^<>]*>/gu;
const MAX_NAMES = 50;
const MAX_NAME_LENGTH = 80;

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
