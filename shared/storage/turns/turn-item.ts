import * as v from 'valibot';
import {
  channelId,
  isPlatformName,
  messageId,
  type TurnRef,
  userId,
  workspaceId,
} from '../../domain/index.ts';
import type { Item } from './turn-keys.ts';

export * from './turn-keys.ts';

const text = v.object({ S: v.string() });
const number = v.pipe(
  v.object({ N: v.string() }),
  v.transform(({ N }) => Number(N)),
);

const attachments = v.array(
  v.object({ id: v.string(), name: v.string(), mimetype: v.string(), bytes: v.number() }),
);

/**
 * A turn in the `conversations` table.
 *
 *   pk    the thread                     sk      TURN#<message>, which sorts by time
 *   by,ws who asked, from which workspace
 *   fence how often it was claimed       lease   until when the last claim holds (ms)
 *   untouched  the last claim after which nothing of an answer was there
 *   waits  the last claim after which its task went back to the queue to wait    receipt  by which that hidden message is shown again, until the next claim
 *   known  the `wish` that counted as dealt with while it waits
 *   posted  the messages of the answer
 *   body  question and ending, packed: there once the turn has ended
 *   from  the first turn of the prompt   n       its number in the thread
 *   ask,files  the question, while it waits for its turn      into   the turn that answers it with others
 *   mark,wish  what people did meanwhile, and what tells it from another such    rev  the last wish to have it answered again that was granted
 *   followups  the card with questions to ask next below the answer
 *   open,due  what needs a later look, and when (s)      attempts  how often that look could not be queued      ttl  when it expires (s)
 */
const shape = v.object({
  pk: text,
  sk: text,
  id: text,
  by: text,
  ws: text,
  fence: v.optional(number),
  lease: v.optional(number),
  untouched: v.optional(number),
  waits: v.optional(number),
  receipt: v.optional(text),
  known: v.optional(text),
  posted: v.optional(v.object({ L: v.array(text) })),
  body: v.optional(v.object({ B: v.instance(Uint8Array) })),
  from: v.optional(text),
  n: v.optional(number),
  open: v.optional(text),
  due: v.optional(number),
  ask: v.optional(text),
  files: v.optional(
    v.pipe(
      text,
      v.transform(({ S }) => v.parse(attachments, JSON.parse(S))),
    ),
  ),
  mark: v.optional(v.object({ S: v.picklist(['stopped', 'edited', 'deleted']) })),
  wish: v.optional(text),
  into: v.optional(text),
  rev: v.optional(text),
  followups: v.optional(text),
  ttl: number,
});

/** An item, read and checked. Throws when it is not a turn's. */
export type TurnItem = v.InferOutput<typeof shape>;
export const readItem = (item: Item): TurnItem => v.parse(shape, item);

/** Which turn an item is. */
export function refOf(item: TurnItem): TurnRef {
  const [platform = '', workspace = '', channel = '', root = ''] = item.pk.S.split('#');
  if (!isPlatformName(platform)) throw new Error('not a turn: its key names no platform');
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
