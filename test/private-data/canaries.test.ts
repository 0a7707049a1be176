import { expect, test } from '@jest/globals';
import { assert, asyncProperty, constantFrom, record } from 'fast-check';
import { messageId, type PromptMessage, userId } from '../../shared/domain/index.ts';
import { type ChatOptions, type ChatTool, DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { endEvent, fakePlatform } from '../chat/completion-harness.ts';
import { THREAD, threadHarness } from '../chat/thread-harness.ts';
import { fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { PRIVATE } from './samples.ts';

const VALUES = Object.values(PRIVATE).flat();
/** Only letters and digits, as a reader of a request could put the value together. */
const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[٠-٩]/gu, (digit) => String((digit.codePointAt(0) ?? 0) - 0x6_60))
    .replaceAll(/[^\p{L}\d]/gu, '')
    .toLowerCase();

/** The parts of a conversation into which people, files and tools write. */
type Part =
  | 'instructions'
  | 'before'
  | 'question'
  | 'file'
  | 'cut'
  | 'result'
  | 'argument'
  | 'answer'
  | 'private';

/** Has a conversation with a value in every part, and returns everything that was sent to the model and to the tool. */
async function converse(values: Readonly<Record<Part, string>>): Promise<string[]> {
  const sent: string[] = [];
  const lookUp: ChatTool = {
    source: 'wiki',
    definition: { name: 'look_up', description: `Ask ${values.instructions}` },
    prepare: (args) => {
      sent.push(JSON.stringify(args));
      return {
        title: 'Looking it up',
        status: ['answers.status.reading'],
        run: () => Promise.resolve({ content: `Found: ${values.result}`, summary: 'found' }),
      };
    },
  };
  let requests = 0;
  // The prompt holds the first 20,000 characters of a file: the value is across that cut.
  const before = `${values.file}, `.padEnd(19_999 - Math.floor(values.cut.length / 2), 'word ');
  const text = new TextEncoder().encode(`${before} ${values.cut} ${'end '.repeat(99)}`);
  const { say, set, queued, take, call } = threadHarness([], {
    settings: { ...DEFAULTS, systemPrompt: `Call ${values.instructions}.` },
    platform: {
      ...fakePlatform({ F1: text }),
      fetchEarlierMessages: () =>
        Promise.resolve({ messages: [{ by: userId('U2'), author: 'Bo', text: values.before, at: 1 }] }),
    },
    chat: {
      ...streamsOnly,
      modelFacts: () => Promise.resolve({ tools: true, modelsWithImages: [] }),
      async *stream(prompt: readonly PromptMessage[], options: ChatOptions) {
        sent.push(JSON.stringify(prompt), JSON.stringify(options.tools ?? []));
        requests += 1;
        const toolCall = (name: string, args: object) => ({
          id: `c${requests}`,
          name,
          arguments: JSON.stringify(args),
        });
        const isFile = options.tools?.some(({ name }) => name === 'read_file') === true;
        const calls = [
          toolCall('look_up', { q: values.argument }),
          ...(isFile ? [toolCall('read_file', { name: `${values.file}.txt` })] : []),
        ];
        const isFirst = prompt.at(-1)?.role === 'user' && options.tools !== undefined;
        yield endEvent(isFirst ? '' : `So ${values.answer}.`, isFirst ? { toolCalls: calls } : {});
      },
    },
    toolSources: [{ names: ['wiki'], load: () => Promise.resolve([lookUp]) }],
  });
  await set('mask all');
  await set('tools wiki');
  const attachments = [{ id: 'F1', name: `${values.file}.txt`, mimetype: 'text/plain', bytes: text.length }];
  const message = {
    thread: THREAD,
    id: messageId('1.2'),
    author: userId('U1'),
    authorWorkspace: THREAD.workspace,
    text: `Is ${values.question} right?`,
    attachments,
    addressed: 'mention' as const,
  };
  await take({ kind: 'message', message });
  await queued();
  await say('1.3', 'U2', `And ${values.question}?`);
  await queued();
  const by = { user: userId('U1'), workspace: THREAD.workspace, roles: [] };
  await call(fakeInteraction(typedCommand(`ask private:yes ${values.private}`), { id: 'private', by }));
  expect(requests).toBe(5);
  return sent;
}

test('no value of any kind is in any request of a conversation', async () => {
  const value = constantFrom(...VALUES);
  const parts = {
    instructions: value,
    before: value,
    question: value,
    file: value,
    cut: value,
    result: value,
  };
  await assert(
    asyncProperty(record({ ...parts, argument: value, answer: value, private: value }), async (values) => {
      const sent = await converse(values);
      const all = sent.map(bare).join('\n');
      // Nor are the parts of a value that the cut of a file could make.
      const halves = [values.cut.slice(0, values.cut.length / 2), values.cut.slice(values.cut.length / 2)];
      for (const [part, one] of [
        ...Object.entries(values),
        ...halves.map((half) => ['half', half] as const),
      ]) {
        expect([part, one, all.includes(bare(one))]).toEqual([part, one, false]);
      }
    }),
    { numRuns: 4 },
  );
});
