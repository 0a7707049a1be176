import { expect, test } from '@jest/globals';
import { channelId, type ChannelId, messageId, userId } from '../../shared/domain/index.ts';
import { acceptQuestion, intakeWithin } from '../../shared/intake/index.ts';
import type { ToolClientRequest, ToolClientResponse } from '../../shared/mcp/protocol.ts';
import { endEvent } from '../chat/completion-harness.ts';
import { toolServersIn } from '../fakes/tool-servers.ts';
import { TestTime } from '../upstream/time.ts';
import { ALERTS, apiHarness, DEPLOY_BOT, PLACE, readObject } from './api-harness.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const HOOK = {
  url: 'https://hooks.example.com/parley',
  events: ['answer', 'feedback'],
  by: userId('U9'),
} as const;

/** An integration whose webhook may be for all answers of its channels; U1 asks there. */
async function channelHarness({ isForChannels = true, isPublic = true } = {}) {
  const received: string[] = [];
  const request = async (sent: ToolClientRequest): Promise<ToolClientResponse> => {
    if (sent.kind === 'webhook') received.push(sent.body);
    return { kind: 'delivered', status: 200 };
  };
  const at = await apiHarness([endEvent('Write to ada@example.com.')], {
    toolServers: { ...toolServersIn(new TestTime()), request },
    isPublicChannel: async () => isPublic,
    memberRoles: async () => ({ admin: false, roles: [] }),
  });
  await at.context.integrations.webhooks.save(PLACE, DEPLOY_BOT.id, { ...HOOK, isForChannels }, SECRET);
  const root = messageId('1767225600.000100');
  const accept = (channel: ChannelId = ALERTS) =>
    acceptQuestion(
      {
        thread: { ...PLACE, channel, root },
        id: root,
        author: userId('U1'),
        authorWorkspace: PLACE.workspace,
        text: 'Whom do I ask?',
        attachments: [],
        addressed: 'mention',
      },
      intakeWithin(at.context),
    );
  const bodies = () => received.map(readObject);
  return { ...at, root, accept, received, bodies };
}

test('the answer to a person in a channel of the integration is sent, without the person and the question', async () => {
  const at = await channelHarness();
  await at.accept();
  await at.work();
  expect(at.bodies()).toMatchObject([
    {
      type: 'answer.completed',
      data: {
        id: null,
        answer: 'Write to ada@example.com.',
        channel: ALERTS,
        thread: at.root,
        integration: { id: DEPLOY_BOT.id },
      },
    },
  ]);
  expect(at.received[0]).not.toMatch(/U1\b|Whom/u);
});

test('a rating of it is sent without the person', async () => {
  const at = await channelHarness();
  await at.accept();
  await at.work();
  const action = { name: 'feedback.rate', args: [at.root, at.root, 'good'] };
  await at.call({
    id: 'press-1',
    ...PLACE,
    channel: ALERTS,
    by: { user: userId('U7'), workspace: PLACE.workspace, roles: [] },
    responseToken: 'token',
    tokenExpiresAtMs: at.time.now() + 60_000,
    payload: { kind: 'action', action, chosen: [] },
  });
  await at.work();
  expect(at.bodies()[1]).toMatchObject({ type: 'feedback.given', data: { id: null, rating: 'good' } });
  expect(at.received[1]).not.toContain('U7');
});

test('what the settings mask for models is masked for the receiver', async () => {
  const at = await channelHarness();
  const read = at.context.settingsStore;
  read.layers = async () => ({ workspace: { values: { mask: ['emails'] } } });
  await at.accept();
  await at.work();
  expect(at.received[0]).toContain('[email 1]');
  expect(at.received[0]).not.toContain('ada@');
});

test.each([
  ['in another channel', {}, channelId('C2')],
  ['in a private channel, thread or answer', { isPublic: false }, ALERTS],
  ['unless an administrator turned it on', { isForChannels: false }, ALERTS],
])('nothing of others is sent %s', async (_, options, channel) => {
  const at = await channelHarness(options);
  await at.accept(channel);
  await at.work();
  expect(at.prompts).toHaveLength(1);
  expect(at.received).toEqual([]);
});

test('an answer that was erased, or whose channel was taken from the integration meanwhile, is not sent', async () => {
  const at = await channelHarness();
  await at.accept();
  const [ask] = at.queue.sent.splice(0);
  await at.dispatch(ask?.body ?? '');
  const [webhook] = at.queue.sent.splice(0);
  expect(webhook?.body).toContain('"webhook"');
  await at.context.integrations.store.setChannels(PLACE, DEPLOY_BOT.id, {
    channels: [],
    privateChannels: [],
  });
  expect(await at.dispatch(webhook?.body ?? '')).toEqual({ kind: 'done' });
  expect(at.received).toEqual([]);
});

test('a question of an integration that is removed while it waits is neither answered nor charged', async () => {
  const at = await channelHarness();
  await at.ask({ question: 'What?', wait: 0 });
  await at.integrations.remove(PLACE, DEPLOY_BOT.id);
  await at.work();
  expect(at.prompts).toEqual([]);
});
