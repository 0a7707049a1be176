import { expect, test } from '@jest/globals';
import { messageId, userId } from '../../../shared/domain/index.ts';
import {
  CannotPostError,
  FileUnavailableError,
  ResponseOnlyError,
} from '../../../shared/platforms/ports/index.ts';
import { endEvent } from '../../chat/completion-harness.ts';
import { THREAD, threadHarness } from '../../chat/thread-harness.ts';
import { FakeMessenger } from '../../fakes/messenger.ts';
import { fakeInteraction } from '../command-harness.ts';

const FENCE = '```';
const ANSWER = `Two:\n${FENCE}py\na\n${FENCE}\n${FENCE}sh\nb\n${FENCE}`;

/** A thread with one answer, and its buttons. */
async function harness() {
  const messenger = new FakeMessenger();
  const at = threadHarness([[endEvent(ANSWER)]], { messenger });
  await at.say('1.1', 'U1', 'Write two programs.');
  await at.queued();
  let presses = 0;
  const press = async (name: string, { by = 'U1', args = ['1.1', '1.1'], id = '' } = {}) => {
    presses += 1;
    const person = { user: userId(by), workspace: THREAD.workspace, roles: [], locale: 'en', admin: false };
    const payload = { kind: 'action' as const, action: { name, args }, chosen: [] };
    await at.call(fakeInteraction(payload, { id: id || `press-${presses}`, by: person, thread: THREAD }));
    return JSON.stringify(messenger.answers.at(-1)?.card);
  };
  return { ...at, messenger, press, names: () => messenger.uploads.map(({ name }) => name) };
}

test('the button posts a file once, however often it is pressed, and links to it', async () => {
  const { press, names, messenger } = await harness();
  expect(await press('file.text')).toContain(
    'In the thread: [answer.md](https://example.com/C1/upload-1.1#answer.md',
  );
  expect(names()).toEqual(['answer.md']);
  expect(await press('file.text')).toContain('https://example.com/C1/upload-1.1#answer.md');
  expect(names()).toEqual(['answer.md']);
  expect(await press('file.code')).toMatch(/\[code-1\.py\]\(.*\[code-2\.sh\]\(/u);
  expect(messenger.uploads.map(({ name, snippetType }) => [name, snippetType])).toEqual([
    ['answer.md', undefined],
    ['code-1.py', 'python'],
    ['code-2.sh', 'shell'],
  ]);
});

test('a file without a link is named', async () => {
  const { press, messenger } = await harness();
  messenger.refuse.getPermalink = new Error('no answer');
  expect(await press('file.code')).toContain('In the thread: `code-1.py`, `code-2.sh`');
});

test('where the bot may only respond, the person gets the files privately, at each press', async () => {
  const { press, messenger } = await harness();
  messenger.refuse.upload = new ResponseOnlyError('no member');
  for (const times of [1, 2]) {
    expect(await press('file.code')).toContain('Only you see this: code-1.py, code-2.sh');
    expect(messenger.handed.map(({ text }) => text)).toEqual(
      Array.from({ length: times }, () => ['a\n', 'b\n']).flat(),
    );
  }
});

test('a canvas is made once, of the asker’s answer only, and its card is deleted with the question', async () => {
  const { press, messenger, remove, queued, items, names } = await harness();
  expect(await press('file.canvas', { by: 'U2' })).toContain('Only the person who asked');
  const link = 'In the thread: [Write two programs.](https://example.com/docs/1)';
  expect(await press('file.canvas')).toContain(link);
  expect(await press('file.canvas')).toContain(link);
  expect([...messenger.canvases.values()]).toEqual([{ title: 'Write two programs.', content: ANSWER }]);
  const [key = '', card] = [...messenger.cards].at(-1) ?? [];
  expect(JSON.stringify(card)).toContain(
    'The answer as a canvas: [Write two programs.](https://example.com/docs/1)',
  );
  expect(names()).toEqual([]);
  messenger.canvasReaders = 'asker';
  expect(await press('file.canvas')).toContain('Only you can open it');
  await remove('1.1');
  await queued();
  expect(messenger.removed).toContain(messageId(`card-${key}`));
  expect(items().filter(({ sk }) => sk?.S?.startsWith('FILE#'))).toEqual([]);
});

test.each(['createCanvas', 'publishCanvas'] as const)(
  'where %s is refused, the answer is a file, and nothing is left',
  async (method) => {
    const { press, names, messenger, items } = await harness();
    messenger.refuse[method] = new FileUnavailableError(['files.canvas.plan']);
    const text = await press('file.canvas');
    expect(text).toContain('has no canvases of their own');
    expect(text).toContain('So it is a file, in the thread: [answer.md](');
    expect(names()).toEqual(['answer.md']);
    expect(messenger.removed).toHaveLength(method === 'publishCanvas' ? 1 : 0);
    expect(items().filter(({ sk }) => sk?.S?.startsWith('FILE#'))).toHaveLength(1);
  },
);

test('where the bot may not post any more, the person is told, and the button works again', async () => {
  const { press, messenger, items } = await harness();
  messenger.refuse.postCard = new CannotPostError('is_archived');
  expect(await press('file.canvas')).toContain('may not write in this thread any more');
  expect(items().filter(({ sk }) => sk?.S?.startsWith('FILE#'))).toEqual([]);
});

test.each(['createCanvas', 'postCard', 'publishCanvas'] as const)(
  'a press whose worker died in %s is completed when it is delivered again',
  async (method) => {
    const { press, messenger } = await harness();
    messenger.refuse[method] = new Error('the connection broke');
    await expect(press('file.canvas', { id: 'first' })).rejects.toThrow('broke');
    expect([...messenger.canvases.values()].map(({ content }) => content).join('')).toBe('');
    delete messenger.refuse[method];
    expect(await press('file.canvas')).toContain(
      method === 'publishCanvas' ? 'In the thread' : 'being posted',
    );
    expect(await press('file.canvas', { id: 'first' })).toContain('In the thread');
    expect([...messenger.canvases.values()].map(({ content }) => content)).toEqual([ANSWER]);
  },
);

test('only the person who asked gets a file', async () => {
  const { press, names } = await harness();
  expect(await press('file.text', { by: 'U2' })).toContain('Only the person who asked');
  expect(await press('file.text', { args: ['1.1', '7.7'] })).toContain('no longer stored');
  expect(await press('file.text', { args: [] })).not.toContain('In the thread');
  expect(names()).toEqual([]);
});

test('a refusal of the platform says what to do, and the button works again', async () => {
  const { press, names, messenger } = await harness();
  messenger.refuse.upload = new FileUnavailableError(['files.upload.full']);
  expect(await press('file.text')).not.toContain('In the thread');
  delete messenger.refuse.upload;
  expect(await press('file.text')).toContain('In the thread');
  expect(names()).toEqual(['answer.md']);
});

test('a press whose worker died posts the file when it is delivered again; another press waits', async () => {
  const { press, names, messenger } = await harness();
  messenger.refuse.upload = new Error('the connection broke');
  await expect(press('file.text', { id: 'first' })).rejects.toThrow('broke');
  delete messenger.refuse.upload;
  expect(await press('file.text')).toContain('being posted');
  expect(await press('file.text', { id: 'first' })).toContain('In the thread');
  expect(names()).toEqual(['answer.md']);
});

test('the files are deleted with the question', async () => {
  const { press, remove, queued, messenger, items, context } = await harness();
  await press('file.text');
  const [file] = items().filter(({ sk }) => sk?.S?.startsWith('FILE#'));
  expect(file).toMatchObject({
    by: { S: 'U1' },
    shown: { SS: [expect.stringContaining('upload-1.1#answer.md')] },
  });
  await remove('1.1');
  await queued();
  expect(messenger.removed).toContain(messageId(file?.['shown']?.SS?.[0] ?? ''));
  expect(items().filter(({ sk }) => sk?.S?.startsWith('FILE#'))).toEqual([]);
  expect(await context.answerFiles.list({ thread: THREAD, message: messageId('1.1') })).toEqual([]);
});

test.each(['file.text', 'file.canvas'])(
  'what %s posts while the answer is erased is deleted again',
  async (button) => {
    const { press, messenger, items, context } = await harness();
    const turn = { thread: THREAD, message: messageId('1.1') };
    const posted: string[] = [];
    messenger.upload = messenger.postCard = async () => {
      await context.answerFiles.removeAll(turn);
      posted.push('9.9');
      return messageId('9.9');
    };
    expect(await press(button)).toContain('no longer stored');
    expect(posted).toHaveLength(1);
    expect(messenger.removed).toEqual(posted);
    expect(items().filter(({ sk }) => sk?.S?.startsWith('FILE#'))).toEqual([]);
  },
);
