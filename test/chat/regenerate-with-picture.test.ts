import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { expect, test } from '@jest/globals';
import { type Attachment, messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { handleDeadLetter } from '../../shared/worker/index.ts';
import { fakePlatform } from './completion-harness.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { THREAD, threadHarness } from './thread-harness.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');
const IMAGE = PNG.toString('base64');
const PICTURE: Attachment = { id: 'F1', name: 'cat.png', mimetype: 'image/png', bytes: PNG.length };
const NOTES: Attachment = { id: 'F2', name: 'notes.txt', mimetype: 'text/plain', bytes: 12 };
const ASKED = {
  thread: THREAD,
  message: messageId('1.2'),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
};

/** A thread that begins with a question without files. U1 asks `1.2`, which has these, in it. */
async function threadWithFiles(attachments: readonly Attachment[], text = 'What is this?') {
  const files = { F1: PNG, F2: Buffer.from('Cats purr.') };
  const harness = threadHarness([], { platform: fakePlatform(files) });
  await harness.say('1.1', 'U1', 'Who is there?');
  await harness.queued();
  harness.prompts.length = 0;
  await acceptQuestion(
    {
      thread: THREAD,
      id: ASKED.message,
      author: ASKED.asker,
      authorWorkspace: ASKED.askerWorkspace,
      text,
      attachments,
      addressed: 'mention',
    },
    intakeWithin(harness.context),
  );
  let presses = 0;
  const regenerate = async () => {
    harness.time.advance(2_000);
    presses += 1;
    await harness.take({
      kind: 'button-clicked',
      thread: THREAD,
      message: ASKED.message,
      by: ASKED.asker,
      at: `8.${presses}`,
      action: { kind: 'regenerate' },
    });
    await harness.queued();
  };
  return { ...harness, regenerate };
}

test('a regenerated answer uses the pictures of its question again', async () => {
  const { queued, regenerate, prompts } = await threadWithFiles([PICTURE]);
  await queued();
  await regenerate();
  expect(prompts).toEqual([expect.stringContaining(IMAGE), expect.stringContaining(IMAGE)]);
});

test('an edit of a merged question leaves the pictures of the turn in its answer', async () => {
  const { say, edit, queued, prompts, stored } = await threadWithFiles([PICTURE]);
  await say('1.3', 'U2', 'How old is it?');
  await queued();
  expect((await stored('1.2'))?.mergedQuestions).toMatchObject([{ message: '1.3' }]);
  await edit('1.3', 'U2', 'How heavy is it?');
  await queued();
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toContain('How heavy is it?');
  expect(prompts[1]).toContain(IMAGE);
});

test.each([
  ['with words', 'What is this?'],
  ['without words', ''],
])(
  'a question %s that was stopped while it waited is answered with all of its files when it is asked again',
  async (_, text) => {
    const { context, queued, regenerate, prompts, outcome, stored } = await threadWithFiles(
      [PICTURE, NOTES],
      text,
    );
    await context.signals.sendSignal(ASKED, 'stopped');
    await queued();
    expect(await outcome('1.2')).toMatchObject({ finish: 'stopped' });
    await regenerate();
    expect(prompts).toEqual([expect.stringContaining('Cats purr.')]);
    expect(prompts[0]).toContain(IMAGE);
    // The text is part of the question by now.
    expect((await stored('1.2'))?.pictures).toEqual([PICTURE]);
    await regenerate();
    expect(prompts[1]?.split('Cats purr.')).toHaveLength(2);
    expect(prompts[1]).toContain(IMAGE);
  },
);

test('a question that was given up is answered with its files when it is asked again', async () => {
  const { context, tasks, queued, regenerate, prompts, outcome } = await threadWithFiles([PICTURE, NOTES]);
  const { body = '' } = tasks.shift() ?? {};
  await handleDeadLetter(body, { ...context, recordings: NO_RECORDINGS });
  await queued();
  expect(await outcome('1.2')).toMatchObject({ reason: 'gave-up' });
  await regenerate();
  expect(prompts).toEqual([expect.stringContaining('Cats purr.')]);
  expect(prompts[0]).toContain(IMAGE);
});
