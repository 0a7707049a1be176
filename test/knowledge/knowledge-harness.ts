import {
  channelId,
  type Interaction,
  type InteractionPayload,
  messageId,
  type TargetMessage,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { createKnowledgeTools } from '../../shared/knowledge/index.ts';
import { Collections } from '../../shared/storage/index.ts';
import type { WorkerContext } from '../../shared/worker/index.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { fakePlatform, TURN } from '../chat/completion-harness.ts';
import { toolServersIn } from '../fakes/tool-servers.ts';
import { TestTime } from '../upstream/time.ts';

export const [ADMIN, ADA, GRACE] = [userId('U9'), userId('U1'), userId('U2')];
const T1 = workspaceId('T1');
/** A message that people add. */
export const MESSAGE: TargetMessage = {
  thread: {
    platform: 'slack',
    workspace: T1,
    channel: channelId('C1'),
    root: messageId('1700000000.000100'),
  },
  id: messageId('1700000000.000200'),
  author: GRACE,
  text: 'The door code changes every Monday.',
  attachments: [],
};
const NEVER = new AbortController().signal;

/** A workspace in which an administrator may turn the knowledge on. */
export function knowledgeHarness(
  more: Partial<WorkerContext> = {},
  files: Readonly<Record<string, string>> = {},
) {
  const time = new TestTime();
  let isDeleted = false;
  const platform: WorkerContext['platform'] = {
    ...fakePlatform(),
    downloadFile: async (_, { id }) => Buffer.from(files[id] ?? ''),
    findMessage: async () => MESSAGE,
    isDeleted: async () => isDeleted,
  };
  const harness = commandHarness(
    {
      platform,
      toolServers: toolServersIn(time),
      userProfile: (_, user) => Promise.resolve({ admin: user === ADMIN }),
      ...more,
    },
    time,
  );
  const collections = new Collections({
    dynamo: harness.dynamo,
    table: 'conversations',
    now: () => time.now(),
    sleep: () => Promise.resolve(),
    enqueueSecondRemoval: () => Promise.resolve(),
  });
  let nth = 0;
  const send = async (payload: InteractionPayload, user = ADA, at: Partial<Interaction> = {}) => {
    nth += 1;
    const by = { user, workspace: T1, roles: [] };
    await harness.call(fakeInteraction(payload, { id: `i${nth}`, by, ...at }));
    return JSON.stringify(harness.stage.answers.at(-1)?.card ?? {});
  };
  const type = (text: string, user = ADA, at: Partial<Interaction> = {}) =>
    send(typedCommand(text), user, at);
  const add = (message: Partial<TargetMessage> = {}, user = ADA) =>
    send({ kind: 'on-message', name: 'knowledge', message: { ...MESSAGE, ...message } }, user);
  const turnOn = () => type('settings tools knowledge for:channel', ADMIN);
  const numbering = { last: 0 };
  const search = async (query: string, channel = 'C1', locale: 'en' | 'de' = 'en') => {
    const turn = { ...TURN, thread: { ...MESSAGE.thread, channel: channelId(channel) } };
    const [tool] = await createKnowledgeTools({ collections }).load(['knowledge'], {
      turn,
      pictures: [],
      rootIsOurs: true,
      numbering,
    });
    return tool?.prepare({ query }, locale).run(NEVER);
  };
  const deleteMessage = () => {
    isDeleted = true;
  };
  return { ...harness, collections, send, type, add, turnOn, search, deleteMessage };
}
