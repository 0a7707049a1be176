import { expect, test } from '@jest/globals';
import { answerActions } from '../../../shared/chat/display/answer-actions.ts';
import { LOCALES, type Locale, localize } from '../../../shared/i18n/index.ts';
import type { PromptMessage, TurnOutcome } from '../../../shared/domain/index.ts';
import type { ChatTool } from '../../../shared/ports/chat-tool.ts';
import { completionHarness, endEvent, outcomeOf, type Script } from '../completion-harness.ts';

// A limit of the output may end a response within a tool call. The service then sends the part that it has.

/** A response that was cut within or after a call. */
const cut = (finish: string, args: string, words = ''): Script => [
  ...(words === '' ? [] : [{ type: 'text', text: words } as const]),
  endEvent(words, { finish, toolCalls: [{ id: 'call-0', name: 'delete_all', arguments: args }] }),
];

/** A tool that takes all arguments, and says what it ran with. */
function createTool() {
  const ran: unknown[] = [];
  const tool: ChatTool = {
    definition: { name: 'delete_all' },
    prepare: (args) => ({
      title: 'Deleting',
      status: ['answers.status.reading'],
      run: () => {
        ran.push(args);
        return Promise.resolve({ content: 'done', summary: 'Done' });
      },
    }),
  };
  return { ran, tool };
}

const buttonsOf = (outcome: TurnOutcome): readonly string[] =>
  answerActions(outcome, {
    steps: [],
    settings: { otherModels: [], layers: {} },
    locale: 'en',
    footer: undefined,
    hasCanvases: false,
  }).buttons.map(({ label }) => label);

test.each([
  ['length', '{"folder":"/t', 'cut'],
  ['length', '', 'cut'],
  ['length', '{}', 'cut'],
  ['context', '{"folder":"/t', 'full'],
  ['content_filter', '{}', 'filtered'],
] as const)(
  'a call in a response that ended with %s does not run, with %j as arguments: the answer says so',
  async (finish, args, notice) => {
    const { ran, tool } = createTool();
    const { run, reply, requests } = completionHarness([cut(finish, args, 'Let me see.')], { tools: [tool] });
    const { outcome, steps } = await outcomeOf(run());
    expect(ran).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(steps).toEqual([]);
    expect(outcome).toMatchObject({
      kind: 'answered',
      finish,
      text: `Let me see.\n\n_${localize('en', `answers.${notice}`)}_`,
    });
    expect(reply.text).toBe(outcome.text);
    expect(buttonsOf(outcome).includes('Continue')).toBe(finish !== 'content_filter');
  },
);

test.each(LOCALES.map((locale): [Locale] => [locale]))(
  'a cut call without words before it ends as an answer that reached the limit before its first word, in %s',
  async (locale) => {
    const { ran, tool } = createTool();
    const { run } = completionHarness([cut('length', '')], {
      tools: [tool],
      locale: Promise.resolve(locale),
    });
    const { outcome } = await outcomeOf(run());
    expect(ran).toEqual([]);
    expect(outcome.text).toBe(`_${localize(locale, 'answers.empty-length')}_`);
    expect(outcome.text).toContain('`maxTokens`');
    expect(buttonsOf(outcome)).not.toContain('Continue');
  },
);

test('a cut call does not run after a round of tools, whose step stays', async () => {
  const { ran, tool } = createTool();
  const whole: Script = [
    endEvent('', {
      finish: 'tool_calls',
      toolCalls: [{ id: 'call-0', name: 'delete_all', arguments: '{"folder":"/tmp"}' }],
    }),
  ];
  const { run, requests } = completionHarness([whole, cut('length', '{}', 'Now the rest.')], {
    tools: [tool],
  });
  const { outcome, steps } = await outcomeOf(run());
  expect(ran).toEqual([{ folder: '/tmp' }]);
  expect(requests).toHaveLength(2);
  expect(steps).toMatchObject([{ title: 'Deleting', state: 'done' }]);
  expect(outcome.text).toBe(`Now the rest.\n\n_${localize('en', 'answers.cut')}_`);
});

test('a call that the context of the model cut is requested again with less history', async () => {
  const less: readonly PromptMessage[] = [{ role: 'user', content: 'Less.' }];
  const { ran, tool } = createTool();
  const { run, requests } = completionHarness([cut('context', '{"fol'), [endEvent('Yes.')]], {
    tools: [tool],
    shortenPrompt: () => less,
  });
  expect((await outcomeOf(run())).outcome.text).toBe('Yes.');
  expect(requests[1]?.messages).toEqual(less);
  expect(ran).toEqual([]);
});

test('a call that the context of the model cut, without history to leave out, says what to change', async () => {
  const { run } = completionHarness([cut('context', '{"fol')], { tools: [createTool().tool] });
  const { outcome } = await outcomeOf(run());
  expect(outcome.text).toBe(`_${localize('en', 'answers.failure.too-long')}_`);
});
