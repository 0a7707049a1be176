import * as z from 'zod/mini';
import { channelId, messageId, type TurnRef, userId, workspaceId } from '../conversation/index.ts';
import type { Item } from './turn-keys.ts';

export * from './turn-keys.ts';

const text = z.object({ S: z.string() });
const number = z.pipe(
  z.object({ N: z.string() }),
  z.transform(({ N }) => Number(N)),
);

const attachments = z.array(
  z.object({ id: z.string(), name: z.string(), mimetype: z.string(), bytes: z.number() }),
);

/**
 * A turn in the `conversations` table.
 *
 *   pk    the thread                     sk      TURN#<message>, which sorts by time
 *   by,ws who asked, from which workspace
 *   fence how often it was claimed       lease   until when the last claim holds (ms)
 *   posted  the messages of the answer
 *   body  question and ending, packed: there once the turn has ended
 *   from  the first turn of the prompt   n       its number in the thread
 *   ask,files  the question, while it waits for its turn      into   the turn that answers it with others
 *   mark  what people did meanwhile    rev     the last wish to have it answered again that was granted
 *   open,due  what needs a later look, and when (s)      ttl  when it expires (s)
 */
const shape = z.object({
  pk: text,
  sk: text,
  id: text,
  by: text,
  ws: text,
  fence: z.optional(number),
  lease: z.optional(number),
  posted: z.optional(z.object({ L: z.array(text) })),
  body: z.optional(z.object({ B: z.instanceof(Uint8Array) })),
  from: z.optional(text),
  n: z.optional(number),
  open: z.optional(text),
  due: z.optional(number),
  ask: z.optional(text),
  files: z.optional(
    z.pipe(
      text,
      z.transform(({ S }) => attachments.parse(JSON.parse(S))),
    ),
  ),
  mark: z.optional(z.object({ S: z.enum(['stopped', 'edited', 'deleted']) })),
  into: z.optional(text),
  rev: z.optional(text),
  ttl: number,
});

/** An item, read and checked. Throws when it is not a turn's. */
export type TurnItem = z.infer<typeof shape>;
export const readItem = (item: Item): TurnItem => shape.parse(item);

/** Which turn an item is. */
export function refOf(item: TurnItem): TurnRef {
  const [platform = '', workspace = '', channel = '', root = ''] = item.pk.S.split('#');
  if (platform !== 'slack' && platform !== 'discord')
    throw new Error('not a turn: its key names no platform');
  return {
    thread: {
      platform,
      workspace: workspaceId(workspace),
      channel: channelId(channel),
      root: messageId(root),
    },
    message: messageId(item.id.S),
    asker: userId(item.by.S),
    askerWorkspace: workspaceId(item.ws.S),
  };
}

/** The size of an item as DynamoDB counts it, near enough to plan reads with. */
export function sizeOf(item: TurnItem): number {
  return 150 + item.pk.S.length + item.sk.S.length + (item.body?.B.byteLength ?? 0);
}
