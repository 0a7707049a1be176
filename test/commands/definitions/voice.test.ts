import { describe, expect, test } from '@jest/globals';
import { type InteractionPayload, messageId, parseTask, userId } from '../../../shared/domain/index.ts';
import { CannotPostError, HistoryUnavailableError } from '../../../shared/platforms/ports/index.ts';
import { fakeInteraction, typedCommand } from '../command-harness.ts';
import { ADMIN, CLIP, pressed, THREAD, voiceCommandHarness } from '../voice-command-harness.ts';

/** The command of a message's menu, as U1 calls it. */
const transcribe = (author = 'U2', attachments = [CLIP]): InteractionPayload => ({
  kind: 'on-message',
  name: 'transcribe',
  message: { thread: THREAD, id: messageId('1.1'), author: userId(author), text: '', attachments },
});

/** The command as Discord sends it. */
const voice = (options: Record<string, string>): InteractionPayload => ({
  kind: 'command',
  name: 'voice',
  options,
  attachments: [],
});

describe('voice', () => {
  test('shows the current policy; only admins may change that of a channel', async () => {
    const { call, lastCard } = voiceCommandHarness();
    await call(fakeInteraction(typedCommand('voice')));
    expect(lastCard()).toContain('transcribed on request');
    await call(fakeInteraction(typedCommand('voice auto')));
    expect(lastCard()).not.toContain('automatically');
    await call(fakeInteraction(typedCommand('voice auto'), ADMIN));
    expect(lastCard()).toContain('transcribed automatically');
    await call(fakeInteraction(typedCommand('voice')));
    expect(lastCard()).toContain('transcribed automatically');
  });

  test('the bot does not promise to transcribe on its own where it is not a member', async () => {
    const { call, lastCard } = voiceCommandHarness();
    const guest = { ...ADMIN, platform: 'discord', botAbsent: true } as const;
    await call(fakeInteraction(voice({ do: 'auto' }), guest));
    expect(lastCard()).toContain('works only in a server that I was added to');
    await call(fakeInteraction(voice({}), guest));
    expect(lastCard()).toContain('transcribed on request');
  });

  test('a language is stored for the person who set it; an unknown one is refused', async () => {
    const { call, lastCard } = voiceCommandHarness();
    await call(fakeInteraction(typedCommand('voice language fr')));
    expect(lastCard()).toContain('You read recordings in: French.');
    for (const name of ['German', 'deutsch', 'allemand', 'ドイツ語']) {
      await call(fakeInteraction(typedCommand(`voice language ${name}`)));
      expect(lastCard()).toContain('You read recordings in: German.');
    }
    await call(fakeInteraction(typedCommand('voice language klingon!')));
    expect(lastCard()).not.toContain('You read recordings');
  });
});

describe('Transcribe', () => {
  test('queues the transcription of a message’s recordings and says so', async () => {
    const { call, lastCard, tasks } = voiceCommandHarness();
    await call(fakeInteraction(transcribe()));
    expect(lastCard()).toContain('the words appear below the message');
    expect(tasks()).toEqual([
      expect.objectContaining({ asker: 'U2', recordings: [CLIP], thread: THREAD, request: { kind: 'show' } }),
    ]);
  });

  test('links to an existing transcript without a new transcription', async () => {
    const { call, lastCard, tasks, finish } = voiceCommandHarness();
    await finish();
    await call(fakeInteraction(transcribe()));
    expect(lastCard()).toContain('https://example.com/C1/1.2');
    expect(tasks()).toEqual([]);
  });

  test('is refused without a recording, where transcription is off, or if the speaker has opted out', async () => {
    const { call, lastCard, tasks } = voiceCommandHarness();
    const notes = { id: 'F2', name: 'notes.txt', mimetype: 'text/plain', bytes: 5 };
    await call(fakeInteraction(transcribe('U2', [notes])));
    expect(lastCard()).toContain('no recording in this message');

    const other = { by: { ...ADMIN.by, user: userId('U2'), admin: false } };
    await call(fakeInteraction(typedCommand('voice optout'), other));
    expect(lastCard()).toContain('/parley voice optin');
    await call(fakeInteraction(transcribe()));
    expect(lastCard()).toContain('recorded this does not want');
    expect(tasks()).toEqual([]);
    await call(fakeInteraction(transcribe(), { ...other, id: 'own' }));
    expect(tasks()).toHaveLength(1);

    await call(fakeInteraction(typedCommand('voice off'), ADMIN));
    await call(fakeInteraction(transcribe('U3')));
    expect(lastCard()).toContain('Transcription is off in this channel');
    expect(tasks()).toHaveLength(1);
  });
});

describe('a reaction', () => {
  const REACTED: InteractionPayload = { kind: 'reacted', name: 'transcribe', message: messageId('1.1') };
  const place = { thread: THREAD, id: messageId('1.1'), author: userId('U2'), text: '' };

  test('on a recording requests its transcription; on other messages it gets no response', async () => {
    const { call, context, tasks, stage } = voiceCommandHarness();
    context.platform.findMessage = async () => ({ ...place, attachments: [] });
    await call(fakeInteraction(REACTED));
    context.platform.findMessage = async () => undefined;
    await call(fakeInteraction(REACTED));
    expect([tasks(), stage.answers]).toEqual([[], []]);
    context.platform.findMessage = async () => ({ ...place, attachments: [CLIP] });
    await call(fakeInteraction(REACTED));
    expect(tasks()).toEqual([expect.objectContaining({ asker: 'U2', by: 'U1', recordings: [CLIP] })]);
  });

  test('waits while the platform throttles reading; tells the person if reading is never allowed', async () => {
    const { call, context, lastCard, stage } = voiceCommandHarness();
    context.platform.findMessage = async () => {
      throw new HistoryUnavailableError('slowed', { retryAfterMs: 42_000 });
    };
    expect(await call(fakeInteraction(REACTED))).toEqual({ kind: 'later', afterMs: 42_000 });
    expect(stage.answers).toEqual([]);
    expect(await call(fakeInteraction(REACTED), true)).toEqual({ kind: 'done' });
    expect(lastCard()).toContain('Slack lets me read here again in about 42 s');
  });
});

describe('the controls under a transcript', () => {
  test.each([
    ['voice.translate', ['1.1', 'F1'], [], { to: 'en', speak: false }],
    ['voice.translate', ['1.1', 'F1'], ['ja'], { to: 'ja', speak: false }],
    ['voice.speak', ['1.1', 'F1', 'fr'], [], { to: 'fr', speak: true }],
  ])('%s %j %j is a task for the recording itself', async (name, args, chosen, expected) => {
    const { call, tasks, finish, context } = voiceCommandHarness();
    await finish();
    await call(pressed(name, args, chosen));
    expect(tasks()).toEqual([
      expect.objectContaining({
        asker: 'U2',
        by: 'U1',
        requestedAt: context.time.now(),
        message: '1.1',
        recordings: [CLIP],
        request: expect.objectContaining(expected),
      }),
    ]);
  });

  test('translate uses the person’s language setting, otherwise the locale of their app', async () => {
    const { call, tasks, finish } = voiceCommandHarness();
    await finish();
    const german = { by: { ...ADMIN.by, locale: 'de-DE' }, thread: THREAD };
    const action = { name: 'voice.translate', args: ['1.1', 'F1'] };
    await call(fakeInteraction({ kind: 'action', action, chosen: [] }, german));
    await call(fakeInteraction(typedCommand('voice language ja'), german));
    await call(fakeInteraction({ kind: 'action', action, chosen: [] }, { ...german, id: 'again' }));
    expect(tasks().map((one) => one?.request)).toMatchObject([{ to: 'de' }, { to: 'ja' }]);
  });

  test('ask: posts the question with the transcript in the thread; an empty question is ignored', async () => {
    const { call, finish, recordings, stage, queue } = voiceCommandHarness();
    await finish();
    const ref = { thread: THREAD, message: messageId('1.1'), file: 'F1' };
    await recordings.saveChunk(ref, { n: 0, fromMs: 0, toMs: 9_000, text: 'We ship on Friday.', words: [] });
    const action = { name: 'voice.asked', args: ['1.1', 'F1'] };
    const submitQuestion = (question: string) =>
      call(fakeInteraction({ kind: 'form', action, values: { question } }, { thread: THREAD }));
    await submitQuestion(' ');
    expect(queue.sent).toEqual([]);
    await submitQuestion('When do we ship?');
    expect([...stage.cards.values()]).toMatchObject([
      { by: 'U1', parts: [{ markdown: 'When do we ship?' }] },
    ]);
    expect(queue.sent.map(({ group }) => group)).toEqual(['slack#T1#C1#1.1']);
    expect(queue.sent.map(({ body }) => parseTask(body))).toMatchObject([
      {
        kind: 'ask',
        asker: 'U1',
        question: 'When do we ship?\n\nThe message:\n> We ship on Friday.',
      },
    ]);
  });

  test('ask: quotes half an hour of a recording; if there is more, the model is told', async () => {
    const { call, finish, recordings, queue } = voiceCommandHarness();
    await finish();
    const ref = { thread: THREAD, message: messageId('1.1'), file: 'F1' };
    const submitQuestion = async (id: string, text: string) => {
      await recordings.saveChunk(ref, { n: 0, fromMs: 0, toMs: 9_000, text, words: [] });
      const action = { name: 'voice.asked', args: ['1.1', 'F1'] };
      await call(
        fakeInteraction({ kind: 'form', action, values: { question: 'When?' } }, { thread: THREAD, id }),
      );
      const task = parseTask(queue.sent.at(-1)?.body ?? '');
      return task?.kind === 'ask' ? task.question : undefined;
    };
    expect(await submitQuestion('a', `${'a'.repeat(23_990)} Friday.`)).toMatch(/a{23990} Friday\.$/u);
    expect(await submitQuestion('b', `${'b'.repeat(24_000)} Friday.`)).toMatch(
      /b{24000}\n\n\(These are the first 24000 of 24008 characters of the transcript\.\)$/u,
    );
  });

  test('ask: posts nothing where the bot is silent, and says so', async () => {
    const { call, finish, stage, lastCard, queue } = voiceCommandHarness();
    await finish();
    await call(fakeInteraction(typedCommand('settings mentions off for:channel'), ADMIN));
    const action = { name: 'voice.asked', args: ['1.1', 'F1'] };
    await call(fakeInteraction({ kind: 'form', action, values: { question: 'When?' } }, { thread: THREAD }));
    expect(lastCard()).toContain('I do not answer here');
    expect([queue.sent, stage.cards.size]).toEqual([[], 0]);
  });

  test('ask: tells the person if the bot may not post', async () => {
    const { call, finish, stage, lastCard, queue } = voiceCommandHarness();
    await finish();
    stage.refuse.postCard = new CannotPostError('no');
    const action = { name: 'voice.asked', args: ['1.1', 'F1'] };
    await call(fakeInteraction({ kind: 'form', action, values: { question: 'When?' } }, { thread: THREAD }));
    expect(lastCard()).toContain('I cannot write in this channel');
    expect(queue.sent).toEqual([]);
  });

  test('a deleted recording is reported', async () => {
    const { call, lastCard, tasks } = voiceCommandHarness();
    await call(pressed('voice.translate', ['1.1', 'F1']));
    expect(lastCard()).toContain('Send it again');
    expect(tasks()).toEqual([]);
  });
});
