import { readValue, readList, readString } from '../api/json-path.ts';

/**
 * What a message of the REST API says, with the names of its files. A forwarded message is quoted, so that it is known as the words of others: its
 * text and files are in `message_snapshots` alone (docs:resources/message#message-snapshot-object). `rewrite` changes the words. Never throws.
 */
export function getMessageWords(
  message: unknown,
  rewrite: (words: string) => string = (words) => words,
): string {
  const own = withFiles(rewrite(readString(message, 'content') ?? ''), message);
  const forwarded = readList(message, 'message_snapshots').map((one) => {
    const content = readString(one, 'message', 'content') ?? '';
    return withFiles(content, readValue(one, 'message')).replaceAll(/^(?=.)/gmu, '> ');
  });
  return [own, ...forwarded].filter((text) => text !== '').join('\n\n');
}

function withFiles(words: string, message: unknown): string {
  const names = readList(message, 'attachments').map((file) => readString(file, 'filename') ?? 'a file');
  return (names.length > 0 ? `${words.trim()} (with ${names.join(', ')})` : words).trim();
}
