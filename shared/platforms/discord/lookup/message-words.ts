import type { EmbedType } from 'discord-api-types/v10';
import { readValue, readList, readString } from '../api/json-path.ts';
import { readFileName } from '../inbound/attachments.ts';

/**
 * What a message of the REST API says, with the names of its files. Apps and webhooks, such as those that report alerts, often write in embeds alone.
 * A forwarded message is quoted, so that it is known as the words of others: its text, embeds and files are in `message_snapshots` alone
 * (docs:resources/message#message-snapshot-object). `rewrite` changes the words. Never throws.
 */
export function getMessageWords(
  message: unknown,
  rewrite: (words: string) => string = (words) => words,
): string {
  const content = readString(message, 'content') ?? '';
  const isOfApp = readValue(message, 'author', 'bot') === true;
  const words = isOfApp ? joinParts([content, getEmbedWords(message)]) : content;
  const own = withFiles(rewrite(words), message);
  const forwarded = readList(message, 'message_snapshots').map((one) => {
    const snapshot = readValue(one, 'message');
    // A snapshot does not tell whose it is: embeds below words may be previews of links in them.
    const text = readString(snapshot, 'content') || getEmbedWords(snapshot);
    return withFiles(text, snapshot).replaceAll(/^(?=.)/gmu, '> ');
  });
  return joinParts([own, ...forwarded]);
}

const joinParts = (parts: readonly string[]): string => parts.filter((text) => text !== '').join('\n\n');

const RICH_EMBED: `${EmbedType.Rich}` = 'rich';

/** The words of embeds that an app has written. Embeds of other types are previews of links. See docs:resources/message#embed-object. */
export const getEmbedWords = (message: unknown): string => {
  const texts = readList(message, 'embeds')
    .filter((embed) => readString(embed, 'type') === RICH_EMBED)
    .map((embed) => {
      const fields = readList(embed, 'fields').map((field) =>
        [readString(field, 'name'), readString(field, 'value')].filter(Boolean).join(': '),
      );
      const lines = [
        readString(embed, 'author', 'name'),
        readString(embed, 'title'),
        readString(embed, 'description'),
        ...fields,
        readString(embed, 'footer', 'text'),
      ];
      return lines.filter(Boolean).join('\n');
    });
  return joinParts(texts);
};

function withFiles(words: string, message: unknown): string {
  const names = readList(message, 'attachments').map((file) => readFileName(file) || 'a file');
  return (names.length > 0 ? `${words.trim()} (with ${names.join(', ')})` : words).trim();
}
