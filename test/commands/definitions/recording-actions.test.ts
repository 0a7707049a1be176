import { describe, expect, test } from '@jest/globals';
import { messageId, userId } from '../../../shared/domain/index.ts';
import { type History, HistoryUnavailableError } from '../../../shared/platforms/ports/index.ts';
import { fakeInteraction, typedCommand } from '../command-harness.ts';
import { ADMIN, CLIP, pressed, THREAD, voiceCommandHarness } from '../voice-command-harness.ts';

/** Messages of a channel, oldest first: a recording, an older and a newer message without one, and one of a bot. */
const HISTORY: History = {
  messages: [
    { id: messageId('0.9'), author: 'Ada', by: userId('U1'), at: 1, text: 'Hello.' },
    { id: messageId('1.1'), author: 'Grace', by: userId('U2'), at: 2, text: '', attachments: [CLIP] },
    {
      id: messageId('1.2'),
      author: 'Parley',
      by: userId('UBOT'),
      isBot: true,
      at: 3,
      text: '',
      attachments: [{ ...CLIP, id: 'F9' }],
    },
    { id: messageId('1.3'), author: 'Ada', by: userId('U1'), at: 4, text: 'What?', attachments: [] },
  ],
  unreadThreads: 0,
  withoutText: 0,
};

/** In a channel with these messages. */
const inChannel = (history: () => Promise<History> = async () => HISTORY) => {
  const harness = voiceCommandHarness();
  const places: unknown[] = [];
  harness.context.platform.readHistory = (place) => {
    places.push(place);
    return history();
  };
  return { ...harness, places };
};
const show = (to?: string) => ({ kind: 'show', ...(to === undefined ? {} : { to }) });

describe('the latest recording', () => {
  test.each([
    ['voice transcribe', show()],
    ['voice transcribe fr', show('fr')],
    ['voice transcribe language:French', show('fr')],
    ['voice translate ドイツ語', show('de')],
    ['voice translate', show('en')],
  ])('%s: without a transcript, the recording is transcribed for all', async (text, expected) => {
    const { call, lastCard, tasks, places } = inChannel();
    await call(fakeInteraction(typedCommand(text)));
    expect(lastCard()).toContain('the words appear below the message');
    expect(tasks()).toEqual([
      expect.objectContaining({
        asker: 'U2',
        by: 'U1',
        message: '1.1',
        recordings: [CLIP],
        thread: THREAD,
        request: expected,
      }),
    ]);
    expect(places).toEqual([{ platform: 'slack', workspace: 'T1', channel: 'C1' }]);
  });

  test.each([
    ['voice translate fr', { to: 'fr', speak: false }],
    ['voice speak ja', { to: 'ja', speak: true }],
    ['voice transcribe ko', { to: 'ko', speak: false }],
    ['voice translate auto', { to: 'en', speak: false }],
  ])('%s: with a transcript, it is translated into that language', async (text, expected) => {
    const { call, tasks, finish } = inChannel();
    await finish();
    await call(fakeInteraction(typedCommand(text)));
    expect(tasks()).toEqual([
      expect.objectContaining({
        asker: 'U2',
        by: 'U1',
        message: '1.1',
        recordings: [CLIP],
        request: expect.objectContaining({ kind: 'translate', ...expected }),
      }),
    ]);
  });

  test('voice speak: without a transcript, the speech follows the transcription in the same message group', async () => {
    const { call, tasks, recordingsQueue } = inChannel();
    await call(fakeInteraction(typedCommand('voice speak fr')));
    expect(tasks()).toMatchObject([
      { asker: 'U2', by: 'U1', request: show('fr') },
      { asker: 'U2', by: 'U1', request: { kind: 'translate', to: 'fr', speak: true } },
    ]);
    expect(new Set(recordingsQueue.sent.map(({ group }) => group)).size).toBe(1);
    expect(new Set(recordingsQueue.sent.map(({ dedup }) => dedup)).size).toBe(2);
  });

  test('voice transcribe: links to an existing transcript', async () => {
    const { call, lastCard, tasks, finish } = inChannel();
    await finish();
    await call(fakeInteraction(typedCommand('voice transcribe')));
    expect(lastCard()).toContain('https://example.com/C1/1.2');
    expect(tasks()).toEqual([]);
  });

  test('the card of the policy has controls for each mode; they do the same as the command', async () => {
    const { call, lastCard, tasks } = inChannel();
    await call(fakeInteraction(typedCommand('voice')));
    for (const label of ['Transcribe the latest', 'Translate it', 'Speak its', 'Transcribe and translate to'])
      expect(lastCard()).toContain(label);
    await call(pressed('voice.last', ['transcribe'], ['fr']));
    expect(tasks()).toMatchObject([{ recordings: [CLIP], request: { kind: 'show', to: 'fr' } }]);
    await call(fakeInteraction(typedCommand('voice off'), ADMIN));
    await call(fakeInteraction(typedCommand('voice')));
    expect(lastCard()).not.toContain('Transcribe the latest');
  });

  test('in a thread, its recordings count, with the thread for the transcript', async () => {
    const { call, tasks, places } = inChannel();
    const thread = { ...THREAD, root: messageId('0.5') };
    await call(fakeInteraction(typedCommand('voice transcribe'), { thread }));
    expect(places).toEqual([thread]);
    expect(tasks()).toMatchObject([{ message: '1.1', thread }]);
  });

  test.each([
    ['voice translate klingon!', {}, 'I do not know the language “klingon!”'],
    ['voice translate', { mayReadHistory: false as const }, 'Read Message History'],
  ])('%s is refused with what to do instead', async (text, more, sentence) => {
    const { call, lastCard, tasks, places } = inChannel();
    await call(fakeInteraction(typedCommand(text), { by: { ...ADMIN.by, admin: false, ...more } }));
    expect(lastCard()).toContain(sentence);
    expect([tasks(), places]).toEqual([[], []]);
  });

  test('without a recording, or where the bot may not read, the person is told what to do', async () => {
    const none = inChannel(async () => ({ ...HISTORY, messages: HISTORY.messages.slice(2) }));
    await none.call(fakeInteraction(typedCommand('voice transcribe')));
    expect(none.lastCard()).toContain('open the menu of its message');
    const outside = inChannel(() => Promise.reject(new HistoryUnavailableError('not-member')));
    await outside.call(fakeInteraction(typedCommand('voice transcribe')));
    expect(outside.lastCard()).toContain('Invite me');
    expect([none.tasks(), outside.tasks()]).toEqual([[], []]);
  });
});
