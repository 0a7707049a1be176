import { isJson } from './state.ts';
import { RefusalError } from './context.ts';

/** Slack returns the path and the error; clients log both. */
export function refuse(where: string, why: string): never {
  throw new RefusalError('invalid_blocks', {
    response_metadata: { messages: [`[ERROR] ${why} [json-pointer:${where}]`] },
  });
}

/** True for a text object: `plain_text` or `mrkdwn`, or one of them alone. */
export function isText(value: unknown, type?: 'plain_text'): boolean {
  if (!isJson(value) || textOf(value) === undefined) return false;
  return value['type'] === 'plain_text' || (type === undefined && value['type'] === 'mrkdwn');
}

/** The text of a text object; undefined for other values. */
export function textOf(value: unknown): string | undefined {
  return isJson(value) && typeof value['text'] === 'string' ? value['text'] : undefined;
}

export const lengthOf = (value: unknown): number => textOf(value)?.length ?? 0;
