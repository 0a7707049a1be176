import { intakeWithin } from '../../../shared/intake/within-worker.ts';
import * as v from 'valibot';
import {
  serializeTask,
  channelId,
  type Interaction,
  messageId,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { acceptQuestion } from '../../../shared/intake/index.ts';
import { dispatchTask } from '../../../shared/worker/index.ts';
import { Exports } from '../../../shared/storage/index.ts';
import { fakeInteraction, commandHarness } from '../command-harness.ts';

export const BY = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: false, locale: 'en' };
export const OTHER = { ...BY, user: userId('U2') };
export const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;
const file = v.object({
  complete: v.boolean(),
  part: v.number(),
  entries: v.array(v.looseObject({ in: v.string(), is: v.string() })),
});

export function exportHarness(pageSize = 100) {
  const at = commandHarness();
  const { dynamo, time } = at;
  const scan = async ({ ExclusiveStartKey }: { readonly ExclusiveStartKey?: unknown }) => {
    const all = dynamo.items('conversations');
    const after = v.optional(v.object({ pk: v.object({ S: v.string() }), sk: v.object({ S: v.string() }) }));
    const from = v.parse(after, ExclusiveStartKey);
    const first = from ? all.findIndex(({ pk, sk }) => pk?.S === from.pk.S && sk?.S === from.sk.S) + 1 : 0;
    const Items = all.slice(first, first + pageSize);
    const last = Items.at(-1);
    return first + pageSize < all.length && last?.['pk'] && last['sk']
      ? { Items, LastEvaluatedKey: { pk: last['pk'], sk: last['sk'] } }
      : { Items };
  };
  const exports = new Exports({
    dynamo,
    scan,
    table: 'conversations',
    now: time.now,
    isIndexComplete: () => Promise.resolve(false),
  });
  const context = { ...at.context, exporter: exports };
  const run = (body: string, seconds = 60) =>
    dispatchTask(body, context, {
      deadline: time.now() + seconds * 1_000,
      isRedelivery: false,
      isLast: false,
    });
  const queued = async (seconds?: number) => {
    for (let sent = at.queue.sent.shift(); sent; sent = at.queue.sent.shift()) await run(sent.body, seconds);
  };
  let calls = 0;
  const call = async (payload: Interaction['payload'], by = BY, more: Partial<Interaction> = {}) => {
    calls += 1;
    const one = fakeInteraction(payload, { id: `call-${calls}`, by, ...more });
    const place = { thread: THREAD, message: one.id, asker: by.user, askerWorkspace: by.workspace };
    await run(serializeTask({ v: 1, kind: 'invoked', ...place, interaction: one }));
  };
  const ask = async (id: string, by: typeof BY, thread: typeof THREAD = THREAD) => {
    const message = { thread, id: messageId(id), author: by.user, authorWorkspace: by.workspace };
    const question = { ...message, text: `Question ${id}`, attachments: [], addressed: 'mention' as const };
    await acceptQuestion(question, intakeWithin(context));
    await queued();
  };
  const files = () => at.stage.handed.map(({ text }) => v.parse(file, JSON.parse(text)));
  return { ...at, context, call, ask, queued, files };
}
