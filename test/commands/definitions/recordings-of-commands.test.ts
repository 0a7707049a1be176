import { expect, test } from '@jest/globals';
import {
  channelId,
  type Interaction,
  messageId,
  parseTask,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { createTranscriptCard } from '../../../shared/voice/cards.ts';
import { waitingCard } from '../../../shared/voice/transcription/progress-cards.ts';
import { fakeInteraction } from '../command-harness.ts';
import { CLIP, voiceCommandHarness } from '../voice-command-harness.ts';

const [ADA, GRACE] = [userId('41'), userId('42')];
const place = { platform: 'discord', workspace: workspaceId('21'), channel: channelId('31') } as const;
const ownThreadOf = (user: string) => ({ ...place, root: messageId(`c${user}`) });
/** Of a recording with Ada's /ask in a channel. */
const REF = {
  thread: ownThreadOf(ADA),
  message: messageId('1551599387489075200'),
  file: '1551599387489075201',
};
const CHUNK = { n: 0, fromMs: 0, toMs: 9_000, text: 'We ship on Friday.', words: [] };
const transcriptCard = createTranscriptCard({ ref: REF, by: ADA, chunks: [CHUNK], ms: 9_000 }, 'en');

/** The action of a control of a card. */
function actionOf({ parts }: ReturnType<typeof waitingCard>, name: string) {
  const controls = parts.flatMap((part) => (part.kind === 'controls' ? part.controls : []));
  const action = controls.find((one) => one.action.name === name)?.action;
  if (!action) throw new Error(`there is no ${name}`);
  return action;
}

/** A person uses something in the channel, outside of threads. */
const inChannel = (user: typeof ADA, payload: Interaction['payload']) =>
  fakeInteraction(payload, {
    ...place,
    ownThread: ownThreadOf(user),
    by: { user, workspace: place.workspace, roles: [], admin: false, locale: 'en' },
  });

async function harness() {
  const at = voiceCommandHarness();
  await at.recordings.begin(REF, ADA, place.workspace);
  await at.recordings.saveChunk(REF, CHUNK);
  const finish = () =>
    at.recordings.finish(REF, { by: ADA, ms: 9_000, chunkCount: 1, card: messageId('61'), source: CLIP });
  return { ...at, finish };
}

test('the transcript of a recording with /ask can be translated by everybody in the channel', async () => {
  const { call, finish, tasks } = await harness();
  await finish();
  const action = actionOf(transcriptCard, 'voice.translate');
  await call(inChannel(GRACE, { kind: 'action', action, chosen: ['fr'] }));
  expect(tasks()).toMatchObject([{ thread: REF.thread, message: REF.message, request: { to: 'fr' } }]);
});

test('its transcription can be stopped', async () => {
  const { call, recordings } = await harness();
  const card = waitingCard('Downloading…', { ref: REF, requestedBy: ADA }, 'en');
  await call(inChannel(ADA, { kind: 'action', action: actionOf(card, 'voice.stop'), chosen: [] }));
  expect(await recordings.readSignal(REF)).toMatchObject({ stoppedBy: ADA });
});

test.each([ADA, GRACE])(
  'a question of %s about it is asked in the conversation of that person',
  async (user) => {
    const { call, finish, queue } = await harness();
    await finish();
    const action = { name: 'voice.asked', args: actionOf(transcriptCard, 'voice.ask-form').args };
    await call(inChannel(user, { kind: 'form', action, values: { question: 'When?' } }));
    expect(queue.sent.map(({ body }) => parseTask(body))).toMatchObject([
      { kind: 'ask', asker: user, thread: ownThreadOf(user), question: expect.stringContaining('Friday') },
    ]);
  },
);
