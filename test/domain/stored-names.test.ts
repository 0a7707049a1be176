import { expect, test } from '@jest/globals';
import {
  channelId,
  messageId,
  parseTask,
  parseTranscriptionTask,
  serializeTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { enqueueInteraction } from '../../shared/intake/enqueue-interaction.ts';
import { readInteraction } from '../../shared/platforms/discord/inbound/interaction.ts';
import { toInteraction } from '../../shared/platforms/discord/inbound/command-options.ts';
import { parseCommand } from '../../shared/platforms/slack/inbound/interactions.ts';
import { enqueueDeletion } from '../../shared/task-queue/enqueue.ts';

// Written by hand from the messages of the previous version. During a deployment its workers read ours, and ours read its.

const THREAD = '"thread":{"platform":"slack","workspace":"T1","channel":"C1","root":"1.1"}';
const TURN = `"v":1,${THREAD},"message":"1.2","asker":"U1","askerWorkspace":"T1"`;
const INTERACTION =
  '{"id":"i1","platform":"discord","workspace":"21","channel":"31","own":{"platform":"discord","workspace":"21",' +
  '"channel":"31","root":"c41"},"by":{"user":"41","workspace":"21","roles":["51"]},"ticket":"secret","deferred":true,' +
  '"trigger":"1.2","until":900,"at":100,"call":{"kind":"form","action":{"name":"ask","args":["at"]},"values":{"until":"five","ticket":"t"}}}';
const EDIT = '{"kind":"edited","of":"1.3","question":"Why?","attachments":[]}';

/** The interaction above, in the words of the code. */
const interaction = {
  id: 'i1',
  ownThread: { root: 'c41' },
  responseToken: 'secret',
  triggerId: '1.2',
  tokenExpiresAtMs: 900,
  receivedAt: 100,
  // What people enter keeps its names.
  payload: { kind: 'form', action: { name: 'ask', args: ['at'] }, values: { until: 'five', ticket: 't' } },
};

test.each([
  [
    'an edit',
    `{${TURN},"kind":"redo","round":0,"key":"k","by":"U2","pressedAt":7,"ticket":{"id":"9","token":"t"},"how":${EDIT}}`,
    {
      clickedAt: 7,
      interactionToken: { id: '9', token: 't' },
      change: { kind: 'edited', editedMessage: '1.3' },
    },
  ],
  ['a video', `{${TURN},"kind":"video","job":"j1","quiet":true}`, { jobId: 'j1', quiet: true }],
  ['an interaction', `{${TURN},"kind":"invoked","invocation":${INTERACTION}}`, { interaction }],
  [
    'an export',
    `{${TURN},"kind":"export","of":"person","wanted":${INTERACTION},"from":"c","round":1,"waits":2}`,
    { scope: 'person', interaction, cursor: 'c', waitCount: 2 },
  ],
  [
    'an erasure',
    `{${TURN},"kind":"erase","of":{"kind":"workspace","at":5},"from":"c","tell":${INTERACTION},"round":1,"waits":2}`,
    { scope: { kind: 'workspace', at: 5 }, interaction, cursor: 'c', waitCount: 2 },
  ],
  [
    'a question',
    `{${TURN},"kind":"ask","question":"Why?","attachments":[],"receivedAt":3,"late":true,"edit":"edit-1"}`,
    { question: 'Why?', receivedAt: 3, late: true, edit: 'edit-1' },
  ],
])('%s of the previous version is read, and written again byte for byte', (_, stored, expected) => {
  const task = parseTask(stored);
  expect(task).toMatchObject(expected);
  expect(task && serializeTask(task)).toBe(stored);
});

const SPEECH = `{"kind":"translate","to":"de","speak":true,"from":4,"spokenAt":"1.9","invocation":${INTERACTION}}`;
const MESSAGE = `"v":1,"kind":"hear",${THREAD},"message":"1.2","asker":"U1","askerWorkspace":"T1","recordings":[]`;
test.each([
  [
    'a translation',
    `{${MESSAGE},"at":6,"heard":4,"wish":${SPEECH}}`,
    {
      requestedAt: 6,
      doneChunks: 4,
      request: { kind: 'translate', nextChunk: 4, speechMessage: '1.9', interaction },
    },
  ],
  [
    'an automatic transcription',
    `{${MESSAGE},"wish":{"kind":"show","to":"de","first":true}}`,
    { request: { kind: 'show', to: 'de', explainOptOut: true } },
  ],
  [
    'a spoken question',
    `{${MESSAGE},"wish":{"kind":"ask","question":"","attachments":[],"receivedAt":3,"again":true}}`,
    { request: { kind: 'ask', wasQueued: true } },
  ],
])('%s of the previous version is read, and written again byte for byte', (_, stored, expected) => {
  const task = parseTranscriptionTask(stored);
  expect(task).toMatchObject(expected);
  expect(task && serializeTask(task)).toBe(stored);
});

test('the fronts write what the previous version wrote, byte for byte', async () => {
  const bodies: string[] = [];
  const queue = { send: async (body: string) => void bodies.push(body) };
  const command = {
    command: '/parley',
    text: 'help',
    team_id: 'T1',
    channel_id: 'C1',
    user_id: 'U1',
    trigger_id: '1.2.abc',
    response_url: 'https://hooks.slack.com/commands/T1/1/x',
  };
  const onSlack = parseCommand(command, 1_000)?.interaction;
  const raw = {
    id: '9001',
    type: 2,
    token: 'secret',
    guild_id: '21',
    channel: { id: '31', type: 0 },
    channel_id: '31',
    locale: 'de',
    member: { user: { id: '41' }, permissions: '8', roles: ['51'] },
  };
  const onDiscord = readInteraction(raw, 1_000);
  if (!onSlack || !onDiscord) throw new Error('not read');
  await enqueueInteraction(onSlack, { queue });
  await enqueueInteraction(toInteraction(onDiscord, { kind: 'home' }), { queue });
  const thread = {
    platform: 'slack' as const,
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId('1.1'),
  };
  const turn = {
    thread,
    message: messageId('1.2'),
    asker: userId('U1'),
    askerWorkspace: workspaceId('T1'),
  };
  await enqueueDeletion(turn, queue);
  const id = 'afe0382e8a32e3036145';
  expect(bodies).toEqual([
    `{"v":1,"thread":{"platform":"slack","workspace":"T1","channel":"C1","root":"${id}"},"message":"${id}",` +
      `"asker":"U1","askerWorkspace":"T1","kind":"invoked","invocation":{"id":"${id}","platform":"slack",` +
      '"workspace":"T1","channel":"C1","ticket":"https://hooks.slack.com/commands/T1/1/x","by":{"user":"U1",' +
      '"workspace":"T1","roles":[]},"until":1801000,"at":1000,"call":{"kind":"command","name":"/parley",' +
      '"options":{"text":"help"},"attachments":[]}}}',
    '{"v":1,"thread":{"platform":"discord","workspace":"21","channel":"31","root":"9001"},"message":"9001",' +
      '"asker":"41","askerWorkspace":"21","kind":"invoked","invocation":{"id":"9001","platform":"discord",' +
      '"workspace":"21","channel":"31","own":{"platform":"discord","workspace":"21","channel":"31","root":"c41"},' +
      '"by":{"user":"41","workspace":"21","locale":"de","roles":["51"],"admin":true},"ticket":"secret",' +
      '"until":881000,"at":1000,"call":{"kind":"home"}}}',
    `{"v":1,"kind":"redo","round":0,${THREAD},"message":"1.2","asker":"U1","askerWorkspace":"T1",` +
      '"key":"delete-1.2","by":"U1","how":{"kind":"edited","of":"1.2","question":"","attachments":[]}}',
  ]);
});
