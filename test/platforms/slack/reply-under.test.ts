import { describe, expect, test } from '@jest/globals';
import { messageId } from '../../../shared/domain/index.ts';
import type { Step, AnswerActions } from '../../../shared/platforms/ports/index.ts';
import { parseButtonValue } from '../../../shared/platforms/slack/blocks/answer-blocks.ts';
import {
  metadataOfPart,
  openFakeSlack,
  QUESTION,
  visibleText,
  turn,
  type FaultChoice,
} from './fake-slack.ts';

const running: Step = { id: 'r', title: 'Thinking', state: 'running' };
const done: Step = { id: 'r', title: 'Thought for 9 s', state: 'done', details: '640 tokens' };
const under: AnswerActions = {
  buttons: [
    { label: 'Regenerate', action: { kind: 'regenerate' } },
    { label: 'With glyph-7', action: { kind: 'regenerate', model: 'glyph-7' } },
    { label: 'Good', action: { kind: 'feedback', good: true } },
    { label: 'Bad', action: { kind: 'feedback', good: false } },
  ],
  steps: [],
};
const PRESSES = ['parley:regenerate', 'parley:regenerate:1', 'parley:feedback'];
const table = '| Who | Age |\n| :-- | --: |\n| **Ada** | 36 |\n| [Bob](https://bob.example/) |  |\n';
const noStreams: FaultChoice = (method) =>
  method === 'chat.startStream' ? { refuse: 'channel_type_not_supported' } : undefined;

const blockIds = async (text: string) => {
  const { slack, platform, time } = openFakeSlack();
  await time.until(platform.reply(turn, []).publish(text, under));
  return JSON.stringify(slack.calls[0]?.args['blocks']).match(/"block_id":"[^"]+"/g);
};

describe('steps', () => {
  test('start a stream before any text, change with the text, and end with the stop request', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    reply.step(running);
    await time.until(reply.posted());
    expect([...(slack.messages[0]?.cards ?? [])]).toEqual([['r', 'Thinking / in_progress']]);
    reply.write('Forty-two.');
    await time.advance(2_000);
    await time.until(reply.publish('Forty-two.', { ...under, steps: [done] }));
    expect(slack.methods()).toEqual(['chat.startStream', 'chat.appendStream', 'chat.stopStream']);
    expect(slack.messages).toMatchObject([{ text: 'Forty-two.', line: [], buttons: PRESSES }]);
    expect([...(slack.messages[0]?.cards ?? [])]).toEqual([['r', 'Thought for 9 s / complete / 640 tokens']]);
  });

  test('are paced together with the text', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    for (let i = 0; i < 100; i += 1) {
      reply.step({ ...running, details: `${i} s` });
      reply.write('word ');
      await time.advance(20);
    }
    expect(slack.calls.length).toBeLessThanOrEqual(3);
    await time.until(reply.publish('word '.repeat(100)));
    expect(visibleText(slack).trim()).toBe('word '.repeat(100).trim());
  });

  test('are a line above the text where there is no stream', async () => {
    const { slack, platform, time } = openFakeSlack(noStreams);
    const reply = platform.reply(turn, []);
    reply.step(running);
    reply.write('Forty-two.');
    await time.until(reply.posted());
    expect(slack.messages).toMatchObject([{ line: ['… Thinking'], buttons: ['parley:stop'] }]);
    await time.until(reply.publish('Forty-two.', { ...under, steps: [done] }));
    expect(slack.messages).toMatchObject([
      {
        text: 'Forty-two.',
        line: ['✓ Thought for 9 s · 640 tokens'],
        buttons: PRESSES,
        metadata: metadataOfPart(0),
      },
    ]);
  });

  test('that are in progress when the answer fails are shown as failed', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    reply.step(running);
    await time.until(reply.posted());
    await time.until(reply.publish('_It failed._'));
    expect([...(slack.messages[0]?.cards.values() ?? [])]).toEqual(['Thinking / error']);
    expect(slack.messages[0]?.buttons).toEqual([]);
  });

  test('contain no Slack markup, and stay within the limits', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    reply.step({ id: 'x', title: `<!channel> ${'long '.repeat(200)}`, state: 'done', details: '@here' });
    await time.until(reply.posted());
    const [card = ''] = slack.messages[0]?.cards.values() ?? [];
    expect(card).toMatch(/^< !channel> long .*… \/ complete \/ ＠here$/);
  });
});

describe('buttons', () => {
  test('carry their action; a rating is one element', async () => {
    const { slack, platform, time } = openFakeSlack();
    await time.until(platform.reply(turn, []).publish('Yes.', under));
    expect(slack.methods()).toEqual(['chat.postMessage']);
    const { blocks, text } = slack.calls[0]?.args ?? {};
    expect(text).toBe('Yes.');
    expect(blocks).toMatchObject([
      { type: 'markdown', text: 'Yes.' },
      { type: 'actions', elements: [{ text: { text: 'Regenerate' } }, { text: { text: 'With glyph-7' } }] },
      { type: 'context_actions', elements: [{ type: 'feedback_buttons' }] },
    ]);
    const values = [...JSON.stringify(blocks).matchAll(/"value":"((?:[^"\\]|\\.)*)"/g)].map(
      ([, value = '']) => String(JSON.parse(`"${value}"`)),
    );
    expect(values).toHaveLength(4);
    const pressed = { action_id: 'parley:regenerate:1', action_ts: '1.2', value: values[1] };
    expect(parseButtonValue(pressed)).toMatchObject({
      root: QUESTION,
      message: QUESTION,
      action: { kind: 'regenerate', model: 'glyph-7' },
    });
  });

  test('get new block ids only with a new version of the answer', async () => {
    expect(await blockIds('One.')).toEqual(await blockIds('One.'));
    expect(await blockIds('One.')).not.toEqual(await blockIds('Two.'));
  });

  test('are below the last message only, also after a longer version', async () => {
    const { slack, platform, time } = openFakeSlack(undefined, 400);
    const first = await time.until(platform.reply(turn, []).publish('Short.', under));
    const text = 'Some words. '.repeat(60).trimEnd();
    await time.until(platform.reply(turn, first).publish(text, under));
    expect(slack.messages.map(({ buttons }) => buttons)).toEqual([[], [], PRESSES]);
    expect(visibleText(slack).replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  });

  test('that Slack refuses are omitted from the answer', async () => {
    const { slack, platform, time } = openFakeSlack((_, __, args) =>
      args['blocks'] === undefined ? undefined : { refuse: 'invalid_blocks' },
    );
    const reply = platform.reply(turn, []);
    reply.write('Yes');
    await time.until(reply.posted());
    await time.until(reply.publish('Yes.', { ...under, steps: [done] }));
    expect(slack.messages).toMatchObject([{ text: 'Yes.', buttons: [], streaming: false }]);
  });
});

test('buttons that Slack refuses at the end of a stream are added by an edit', async () => {
  const { slack, platform, time } = openFakeSlack((method, _, args) =>
    method === 'chat.stopStream' && args['blocks'] ? { refuse: 'invalid_blocks' } : undefined,
  );
  const reply = platform.reply(turn, []);
  reply.write('Yes.');
  await time.until(reply.posted());
  await time.until(reply.publish('Yes.', under));
  expect(slack.messages).toMatchObject([{ text: 'Yes.', buttons: PRESSES, streaming: false }]);
});

describe('tables', () => {
  test('are Markdown during the stream, and a table block at the end', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    const text = `Here:\n\n${table}\nThat is all.`;
    reply.write(text);
    await time.until(reply.posted());
    expect(slack.messages[0]?.text).toBe(
      text.replace(' (bob.example)', '').replace('/)', '/) (bob.example)'),
    );
    await time.until(reply.publish(text, under));
    expect(slack.methods()).toEqual(['chat.startStream', 'chat.stopStream', 'chat.update']);
    const { blocks } = slack.calls[2]?.args ?? {};
    const style = { bold: true };
    expect(blocks).toMatchObject([
      { type: 'markdown', text: 'Here:' },
      {
        type: 'table',
        column_settings: [{ align: 'left' }, { align: 'right' }],
        rows: [
          [
            { type: 'raw_text', text: 'Who' },
            { type: 'raw_text', text: 'Age' },
          ],
          [
            { elements: [{ elements: [{ type: 'text', text: 'Ada', style }] }] },
            { type: 'raw_text', text: '36' },
          ],
          [
            {
              elements: [
                {
                  elements: [
                    { type: 'link', url: 'https://bob.example/', text: 'Bob' },
                    { type: 'text', text: ' (bob.example)' },
                  ],
                },
              ],
            },
            { type: 'raw_text', text: ' ' },
          ],
        ],
      },
      { type: 'markdown', text: 'That is all.' },
      { type: 'actions' },
      { type: 'context_actions' },
    ]);
  });

  test('after the first in a message stay Markdown, since Slack accepts one', async () => {
    const { slack, platform, time } = openFakeSlack();
    await time.until(platform.reply(turn, []).publish(`${table}\nand\n\n${table}`));
    expect(slack.methods()).toEqual(['chat.postMessage']);
    expect(slack.messages[0]).toMatchObject({ tables: 1 });
    expect(slack.messages[0]?.text).toContain('and\n\n| Who | Age |');
  });

  test('that Slack refuses are shown as Markdown', async () => {
    const { slack, platform, time } = openFakeSlack((_, __, args) =>
      JSON.stringify(args['blocks'] ?? []).includes('"table"') ? { refuse: 'invalid_blocks' } : undefined,
    );
    await time.until(platform.reply(turn, []).publish(table, under));
    expect(slack.methods()).toEqual(['chat.postMessage', 'chat.postMessage']);
    expect(slack.messages[0]).toMatchObject({ tables: 0, buttons: PRESSES });
    expect(slack.messages[0]?.text).toContain('| **Ada** | 36 |');
  });
});

describe('a stopped answer', () => {
  test.each(['chat.appendStream', 'chat.stopStream'])(
    'is recognized by the response of %s',
    async (method) => {
      const { slack, platform, time } = openFakeSlack((called) => {
        if (called !== method || reply.stopped.aborted) return undefined;
        for (const message of slack.messages) message.streaming = false;
        return { refuse: 'stopped_by_user' };
      });
      const reply = platform.reply(turn, []);
      reply.write('One ');
      await time.until(reply.posted());
      expect(reply.stopped.aborted).toBe(false);
      reply.write('two ');
      await time.advance(2_000);
      await time.until(reply.publish('One two\n\n_Stopped._'));
      expect(reply.stopped.aborted).toBe(true);
      expect(slack.messages).toMatchObject([{ text: 'One two\n\n_Stopped._', streaming: false }]);
    },
  );

  test('has a Stop button below the last message while it is edited', async () => {
    const { slack, platform, time } = openFakeSlack(noStreams, 400);
    const reply = platform.reply(turn, []);
    const text = 'Some words of prose. '.repeat(30).trimEnd();
    for (const word of text.match(/\S+ ?/g) ?? []) {
      reply.write(word);
      await time.advance(100);
    }
    await time.advance(5_000);
    expect(slack.messages.map(({ buttons }) => buttons)).toEqual([[], ['parley:stop']]);
    await time.until(reply.publish(text));
    expect(slack.messages.map(({ buttons }) => buttons)).toEqual([[], []]);
    expect(slack.calls.every(({ args }) => JSON.stringify(args).length < 12_000)).toBe(true);
  });

  test('has a Stop button also when it replaces an earlier answer', async () => {
    const { slack, platform, time } = openFakeSlack();
    const ids = await time.until(platform.reply(turn, []).publish('Old.', under));
    const reply = platform.reply(turn, ids);
    reply.write('New ');
    await time.advance(2_000);
    expect(slack.messages).toMatchObject([{ text: 'New', buttons: ['parley:stop'] }]);
    await time.until(reply.publish('New one.', under));
    expect(slack.messages).toMatchObject([
      { ts: messageId(ids[0] ?? ''), text: 'New one.', buttons: PRESSES },
    ]);
  });
});

test('two answers in one thread do not share steps or Stop', async () => {
  const { slack, platform, time } = openFakeSlack((method, _, args) =>
    method === 'chat.appendStream' && args['ts'] === '1700000002.000001'
      ? { refuse: 'stopped_by_user' }
      : undefined,
  );
  const [one, two] = [platform.reply(turn, []), platform.reply(turn, [])];
  one.step(running);
  await time.until(one.posted());
  two.write('Two');
  await time.until(two.posted());
  one.write('One');
  await time.advance(3_000);
  expect([one.stopped.aborted, two.stopped.aborted]).toEqual([true, false]);
  expect(slack.messages.map(({ cards }) => cards.size)).toEqual([1, 0]);
});
