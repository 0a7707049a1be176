import { expect, test } from '@jest/globals';
import {
  channelId,
  integrationUser,
  messageId,
  parseTask,
  serializeTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import {
  enqueueFailureWebhook,
  enqueueWebhook,
  formatIntegrationKey,
} from '../../shared/integrations/index.ts';
import { enqueueDocumentErasure } from '../../shared/privacy/index.ts';
import { shortenQueueId } from '../../shared/task-queue/index.ts';
import { handleDeadLetter } from '../../shared/worker/index.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { apiHarness } from '../integrations/api-harness.ts';

/** Ids as long as Discord's are today: those of simulators are shorter. */
const GUILD = { platform: 'discord', workspace: workspaceId('1201000000000000001') } as const;
const CHANNEL = channelId('1302000000000000002');
const ROOT = messageId('1403000000000000003');
const MESSAGE = messageId('1404000000000000004');
const BOT = { id: '0123456789abcdef', name: 'deploy-bot', channels: [CHANNEL] };
const recordings = NO_RECORDINGS;
const idsIn = ({ sent }: FakeQueue) => sent.flatMap(({ group, dedup }) => [group, dedup]);

test('an id that SQS takes stays as it is; a longer one is shortened, and others stay others', () => {
  const longest = 'x'.repeat(128);
  expect(shortenQueueId(longest)).toBe(longest);
  const shortened = shortenQueueId(`${longest}a`);
  expect(shortened).toMatch(/^x{64}[\da-f]{64}$/u);
  expect(shortenQueueId(`${longest}a`)).toBe(shortened);
  expect(shortenQueueId(`${longest}b`)).not.toBe(shortened);
});

test('a question of an integration in a channel of Discord is queued, also when its task was given up', async () => {
  const at = await apiHarness();
  const key = formatIntegrationKey(GUILD, BOT.id, Buffer.alloc(24, 7));
  await at.integrations.add(GUILD, BOT, key, 'setup');
  const { status } = await at.send({ key, body: { question: 'Healthy?', channel: CHANNEL, wait: 0 } });
  expect(status).toBe(202);
  const task = parseTask(at.queue.sent[0]?.body ?? '');
  if (task?.kind !== 'integration-ask') throw new Error('no question of an integration');
  await handleDeadLetter(serializeTask(task), { ...at.context, recordings });
  expect(new Set(idsIn(at.queue)).size).toBe(3);
});

test('webhooks of a rating in Discord, and of a question that failed there, are queued, to each receiver its own', async () => {
  const queue = new FakeQueue();
  const time = { now: () => 1 };
  const turn = { thread: { ...GUILD, channel: CHANNEL, root: ROOT }, message: MESSAGE };
  const others = [BOT, { ...BOT, id: 'fedcba9876543210' }];
  const integrations = {
    webhooks: { find: async () => undefined },
    listChannelWebhooks: async () =>
      others.map((integration) => ({ integration, events: ['feedback'] as const })),
  };
  await enqueueWebhook(
    { ...turn, asker: userId('1105000000000000005'), askerWorkspace: GUILD.workspace },
    { kind: 'feedback', good: true, ratedBy: '1406000000000000006' },
    { queue, time, integrations },
  );
  const request = messageId(`ask_${'0'.repeat(32)}`);
  const failed = { thread: { ...turn.thread, root: request }, message: request };
  const asker = integrationUser(BOT);
  await enqueueFailureWebhook({ ...failed, asker, askerWorkspace: GUILD.workspace }, { queue, time });
  expect(new Set(idsIn(queue)).size).toBe(3);
});

test('the second removal of a document from a file is queued, on both platforms', async () => {
  const queue = new FakeQueue();
  const hashes = `${'a'.repeat(16)}.${'b'.repeat(16)}`;
  await enqueueDocumentErasure({ ...GUILD, channel: CHANNEL }, `M${MESSAGE}.${hashes}`, {
    queue,
    now: () => 1,
  });
  const slack = {
    platform: 'slack',
    workspace: workspaceId('T0123456789'),
    channel: channelId('C0123456789'),
  } as const;
  await enqueueDocumentErasure(slack, `M1700000000.000100.${hashes}`, { queue, now: () => 1 });
  const tasks = [...queue.sent];
  expect(tasks).toHaveLength(2);
  const { context } = await apiHarness();
  for (const { body } of tasks) await handleDeadLetter(body, { ...context, queue, recordings });
  expect(new Set(queue.sent.map(({ dedup }) => dedup)).size).toBe(4);
});
