import { describe, expect, test } from '@jest/globals';
import type { TurnOutcome } from '../../../shared/domain/index.ts';
import { removeNotice } from '../../../shared/chat/display/notices.ts';
import { LOCALES, localize } from '../../../shared/i18n/index.ts';
import { AtCapacityError, ServerError, StreamCutError } from '../../../shared/upstream/index.ts';
import { endEvent, outcomeOf, completionHarness } from '../completion-harness.ts';

const text = (words: string) => ({ type: 'text', text: words }) as const;
const USAGE = { promptTokens: 10, completionTokens: 5, reasoningTokens: 0, cachedTokens: 0 };

/** An answer without the note of the bot. */
const bare = (outcome: TurnOutcome): string =>
  outcome.kind === 'answered' ? removeNotice(outcome) : outcome.text;

describe('one completion', () => {
  test('is shown while it streams, and ends with its usage', async () => {
    const facts = { usage: USAGE, requestId: 'r1', weightVersion: 'w1' };
    const { run, reply, requests, permits } = completionHarness([
      [text('The sky '), text('is blue.'), endEvent('The sky is blue.', facts)],
    ]);
    const { outcome, steps } = await outcomeOf(run());
    expect(outcome).toEqual({
      kind: 'answered',
      text: 'The sky is blue.',
      finish: 'stop',
      model: 'model-a',
      ...facts,
    });
    expect(reply.text).toBe('The sky is blue.');
    expect(steps).toEqual([]);
    expect(permits).toHaveLength(1);
    expect(requests[0]?.options.tools).toBeUndefined();
  });

  test('is requested from the named model', async () => {
    const { run, requests } = completionHarness([[endEvent('Yes.')]], { model: 'model-b' });
    await run();
    expect(requests[0]?.options.model).toBe('model-b');
  });

  test('is complete when only the end event arrives', async () => {
    const { run, reply } = completionHarness([[endEvent('All at once.')]]);
    expect((await outcomeOf(run())).outcome.text).toBe('All at once.');
    expect(reply.text).toBe('All at once.');
  });

  test('without text says so', async () => {
    expect((await outcomeOf(completionHarness([[endEvent('')]]).run())).outcome.text).toBe(
      `_${localize('en', 'answers.empty')}_`,
    );
  });

  test('without text that reached the maximum length while the model was reasoning says what to change', async () => {
    const script = [[{ type: 'reasoning', text: 'Hm.' } as const, endEvent('', { finish: 'length' })]];
    const { outcome } = await outcomeOf(completionHarness(script).run());
    expect(outcome.text).toBe(`_${localize('en', 'answers.empty-length')}_`);
    expect(outcome.text).toContain('change the setting `effort` or `maxTokens`');
  });

  test.each([
    ['Half an', 'Half an\n\n'],
    ['', ''],
  ])('that the content filter of the server stopped says so: after “%s”', async (words, before) => {
    const script = [[text(words), endEvent(words, { finish: 'content_filter' })]];
    const { outcome } = await outcomeOf(completionHarness(script).run());
    expect(outcome.text).toBe(`${before}_${localize('en', 'answers.filtered')}_`);
  });

  test.each(LOCALES)(
    'that reached the maximum length says so in %s, in a note that can be removed again',
    async (locale) => {
      const script = [[text('Long'), endEvent('Long', { finish: 'length' })]];
      const { run, reply } = completionHarness(script, { locale: Promise.resolve(locale) });
      const { outcome } = await outcomeOf(run());
      expect(outcome.text).toBe(`Long\n\n_${localize(locale, 'answers.cut')}_`);
      expect(reply.text).toBe(outcome.text);
      expect(bare(outcome)).toBe('Long');
    },
  );

  test.each([
    ['```js\nlet a;\n', '```js\nlet a;\n```'],
    ['```js\nlet a', '```js\nlet a\n```'],
    ['```js\nlet a;\n\n', '```js\nlet a;\n\n```'],
    ['A paragraph.\n\n', 'A paragraph.\n\n'],
    ['~~~\n```\n', '~~~\n```\n~~~'],
    ['```js\nlet a;\n```', '```js\nlet a;\n```'],
    ['> ```\n> let a;', '> ```\n> let a;'],
    ['- one\n  ```\n  let a;', '- one\n  ```\n  let a;'],
    ['Two lines.\n', 'Two lines.\n'],
  ])(
    'that was cut in %j has its note outside of the code, and continues where it was cut',
    async (words, expected) => {
      const { run, reply } = completionHarness([[text(words), endEvent(words, { finish: 'length' })]]);
      const { outcome } = await outcomeOf(run());
      expect(outcome.text).toBe(`${expected}\n\n_${localize('en', 'answers.cut')}_`);
      expect(reply.text).toBe(outcome.text);
      expect(bare(outcome)).toBe(words);
    },
  );

  test.each([
    ['and more.', 'stop', 'and more.'],
    ['and more.', 'length', `and more.\n\n_${localize('en', 'answers.cut')}_`],
    ['', 'stop', ''],
    ['', 'length', `\n\n_${localize('en', 'answers.cut')}_`],
  ])(
    'that continues with %j and ends with %s is separate from the note of the bot',
    async (words, finish, expected) => {
      const script = [[...(words === '' ? [] : [text(words)]), endEvent(words, { finish })]];
      const { run, reply } = completionHarness(script, {
        prefix: 'What was said, ',
        opening: '_Left out before._',
      });
      const { outcome } = await outcomeOf(run());
      expect(outcome.text).toBe(expected);
      expect(reply.text).toBe(expected);
    },
  );

  test('that continues a code block closes the block when it is stopped there', async () => {
    const { run, stop } = completionHarness([[text('let b;'), () => stop.abort(new Error('stopped'))]], {
      prefix: '```js\nlet a;\n',
    });
    expect((await outcomeOf(run())).outcome.text).toMatch(/^let b;\n```\n\n_Stopped/u);
  });

  test('that continues keeps the earlier text when it is stopped before its first word', async () => {
    const { run, stop } = completionHarness([], { prefix: 'What was said' });
    stop.abort(new Error('stopped'));
    expect((await outcomeOf(run())).outcome.text).toBe('\n\n_Stopped before the first word._');
  });

  test('does not wait for the language of the bot', async () => {
    const language = Promise.withResolvers<'de'>();
    const { run, reply } = completionHarness(
      [
        [
          text('Long'),
          () => {
            expect(reply.text).toBe('Long');
            language.resolve('de');
          },
          endEvent('Long', { finish: 'length' }),
        ],
      ],
      { locale: language.promise },
    );
    expect((await outcomeOf(run())).outcome.text).toContain('Sag „weiter“');
  });

  test('comes after the opening note, which waits for the first word', async () => {
    const opening = '_I left out a file._';
    const { run, reply } = completionHarness(
      [[() => expect(reply.text).toBe(''), text('Well.'), endEvent('Well.')]],
      {
        opening,
      },
    );
    expect((await outcomeOf(run())).outcome.text).toBe(`${opening}\n\nWell.`);
    expect(reply.text).toBe(`${opening}\n\nWell.`);
    expect((await outcomeOf(completionHarness([[endEvent('')]], { opening }).run())).outcome.text).toBe(
      `${opening}\n\n_${localize('en', 'answers.empty')}_`,
    );
  });
});

describe('a failed completion', () => {
  test.each([
    ['a broken stream', new StreamCutError('cut'), 'cut', localize('en', 'answers.interrupted')],
    ['a server in trouble', new ServerError('no'), 'server', localize('en', 'answers.interrupted')],
    [
      'a full model',
      new AtCapacityError('full'),
      'at-capacity',
      localize('en', 'answers.failure.at-capacity'),
    ],
  ])(
    'keeps the text before the error (%s), so that it can be continued',
    async (_, error, reason, sentence) => {
      const { run, reply, logged } = completionHarness([[text('Half'), error]]);
      const { outcome } = await outcomeOf(run());
      expect(outcome).toMatchObject({ kind: 'answered', finish: 'interrupted', model: 'model-a' });
      expect(outcome.text).toBe(`Half\n\n_${sentence}_`);
      expect(bare(outcome)).toBe('Half');
      expect(reply.text).toBe(outcome.text);
      expect(logged).toContain(`answer.failed ${JSON.stringify({ reason })}`);
    },
  );

  test('that continues another keeps what it added; without new text it is a failure', async () => {
    const cut = new StreamCutError('cut');
    const more = await outcomeOf(completionHarness([[text('and more'), cut]], { prefix: 'Half ' }).run());
    expect(more.outcome).toMatchObject({ kind: 'answered', finish: 'interrupted' });
    expect(bare(more.outcome)).toBe('and more');
    const none = await outcomeOf(completionHarness([[cut]], { prefix: 'Half ' }).run());
    expect(none.outcome).toMatchObject({ kind: 'failed', reason: 'cut' });
  });

  test('without text is shown as one sentence', async () => {
    const { outcome } = await outcomeOf(completionHarness([[new ServerError('no')]]).run());
    expect(outcome.text).toMatch(/^_[^\n]+_$/u);
  });

  test('with a temporary error returns the question to the queue, except in its last delivery', async () => {
    const full = new AtCapacityError('full', { retryAfterMs: 9_000 });
    const { run, logged } = completionHarness([[full]]);
    expect(await run()).toEqual({ kind: 'later', afterMs: 9_000 });
    // It has not failed: nobody has to look at it.
    expect(logged.filter((line) => line.startsWith('answer.'))).toEqual([
      `answer.postponed ${JSON.stringify({ reason: 'at-capacity' })}`,
    ]);
    const { work } = completionHarness([]);
    const last = { ...work.delivery, isLast: true };
    expect((await outcomeOf(completionHarness([[full]], { delivery: last }).run())).outcome.kind).toBe(
      'failed',
    );
  });

  test('without a permit is retried at its own time', async () => {
    const { run, work, sentTexts, requests } = completionHarness([[endEvent('never')]]);
    Object.assign(work.context.permits, {
      take: () => Promise.resolve({ kind: 'refused', retryAfterMs: 60_500 }),
    });
    expect(await run()).toEqual({ kind: 'later', afterMs: 60_500 });
    await work.statusIndicator.stop();
    expect(sentTexts).toContain('is waiting in line: about 61 s');
    expect(requests).toHaveLength(1);
  });

  test('with an internal error rejects', async () => {
    await expect(completionHarness([[new Error('the table is away')]]).run()).rejects.toThrow(
      'the table is away',
    );
  });

  test('with a lease error rejects, even after Stop', async () => {
    const { run, lease, stop } = completionHarness([
      [
        text('Half'),
        () => {
          stop.abort(new Error('stopped'));
          lease.abort(new Error('claim lost'));
        },
      ],
    ]);
    await expect(run()).rejects.toThrow(/claim lost|stopped/u);
  });
});

describe('Stop', () => {
  test('ends the request at once; the text so far is the answer, with its usage', async () => {
    const { run, reply, stop, requests } = completionHarness([
      [text('The sky is'), () => stop.abort(new Error('stopped'))],
    ]);
    const { outcome } = await outcomeOf(run());
    expect(outcome).toMatchObject({ kind: 'answered', finish: 'stopped', model: 'model-a' });
    expect(outcome.text).toMatch(/^The sky is\n\n_Stopped after about \d+ tokens\._$/u);
    expect(reply.text).toBe(outcome.text);
    expect(requests[0]?.options.signal.aborted).toBe(true);
    expect(bare(outcome)).toBe('The sky is');
  });

  test('before the first word says so; before the request it prevents the request', async () => {
    const { run, stop, requests } = completionHarness([]);
    stop.abort(new Error('stopped'));
    expect((await outcomeOf(run())).outcome.text).toBe('_Stopped before the first word._');
    expect(requests).toEqual([]);
  });

  test('counts reasoning tokens', async () => {
    const thought = { type: 'reasoning', text: 'Let me think of the sky and of light.' } as const;
    const { run, stop } = completionHarness([[thought, () => stop.abort(new Error('stopped'))]]);
    const { outcome, steps } = await outcomeOf(run());
    expect(outcome.text).toMatch(/^_Stopped after about \d+ tokens\._$/u);
    expect(steps).toEqual([{ id: 'reasoning-1', title: 'Thought for 1 s', state: 'done' }]);
  });

  test('ends the wait for a permit, and leaves the wait queue', async () => {
    const { run, work, stop, requests } = completionHarness([[endEvent('never')]]);
    const waiting = { kind: 'waiting', place: { key: 'key' }, waitMs: 40_000, ahead: 3 };
    let left = 0;
    Object.assign(work.context.permits, {
      take: () => Promise.resolve(waiting),
      poll: () => {
        stop.abort(new Error('stopped'));
        return Promise.resolve(waiting);
      },
      leave: () => {
        left += 1;
        return Promise.resolve();
      },
    });
    expect((await outcomeOf(run())).outcome.text).toBe('_Stopped before the first word._');
    expect(requests).toHaveLength(1);
    expect(left).toBe(1);
  });
});
