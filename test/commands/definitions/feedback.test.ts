import { describe, expect, jest, test } from '@jest/globals';
import {
  type InteractionPayload,
  channelId,
  type Interaction,
  messageId,
  NO_GUILD,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { renderCard } from '../../../shared/platforms/slack/blocks/card-blocks.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';
import { checkBlocks } from '../../simulators/slack/blocks.ts';
import * as v from 'valibot';
import { jsonObject } from '../../simulators/json-schema.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';
import { ADMIN, MEMBER } from '../settings-harness.ts';

const DAY_S = 86_400;
/** A Monday, at noon. */
const NOW_S = Date.UTC(2026, 10, 23, 12) / 1_000;

/** A workspace in which questions were answered, and a log with its facts. */
function harness(workspace = 'T1') {
  const logged: unknown[] = [];
  const at = commandHarness({ log: (event, facts) => void logged.push({ event, ...facts }) });
  at.time.advance(NOW_S * 1_000 - at.time.now());
  let calls = 0;
  const call = async (payload: InteractionPayload, more: Partial<Interaction> = {}) => {
    calls += 1;
    await at.call(
      fakeInteraction(payload, {
        id: `call-${calls}`,
        by: MEMBER,
        workspace: workspaceId(workspace),
        ...more,
      }),
    );
    return at.stage.answers.at(-1)?.card;
  };
  /** An answer to a question that is so many days old, by this model, in this channel. */
  const answered = async (daysAgo: number, model = 'big', channel = 'C1') => {
    const message = messageId(`${NOW_S - daysAgo * DAY_S}.000100`);
    const place = {
      platform: 'slack',
      workspace: workspaceId(workspace),
      channel: channelId(channel),
    } as const;
    const turn = {
      thread: { ...place, root: message },
      message,
      asker: MEMBER.user,
      askerWorkspace: workspaceId('T1'),
    };
    await at.context.turns.accept(turn, 'Why?', []);
    const claim = await at.context.turns.claim(turn, 60_000);
    if (claim.kind !== 'held') throw new Error('not claimed');
    await at.context.turns.savePosted(turn, claim.fence, [messageId(`${message}9`)]);
    const outcome = { kind: 'answered', text: 'So.', finish: 'stop', model } as const;
    await at.context.turns.commit(
      turn,
      claim.fence,
      { message, question: 'Why?', outcome },
      { from: 'TURN#', number: 1 },
    );
    return turn;
  };
  type Turn = Awaited<ReturnType<typeof answered>>;
  const rate = ({ thread, message }: Turn, opinion: 'good' | 'bad', by = MEMBER) => {
    const action = { name: 'feedback.rate', args: [thread.root, message, opinion] };
    return call({ kind: 'action', action, chosen: [] }, { channel: thread.channel, by });
  };
  const comment = ({ thread, message }: Turn, text: string, by = MEMBER) => {
    const action = { name: 'feedback.comment', args: [thread.root, message] };
    return call({ kind: 'form', action, values: { text } }, { channel: thread.channel, by });
  };
  const list = async (options = '', by = ADMIN) =>
    JSON.stringify(await call(typedCommand(`feedback ${options}`), { by }));
  return { ...at, logged, call, answered, rate, comment, list };
}

describe('the rating of an answer', () => {
  test('is acknowledged ephemerally and counted per model', async () => {
    const { answered, rate, stage, logged } = harness();
    expect(JSON.stringify(await rate(await answered(1), 'good'))).toContain('Thank you.');
    expect(stage.answers.every(({ openly }) => !openly)).toBe(true);
    expect(logged).toContainEqual({ event: 'feedback.given', platform: 'slack', kind: 'good', model: 'big' });
  });

  test('offers an optional modal for a comment on a bad answer', async () => {
    const { answered, rate, comment, list, dynamo } = harness();
    const turn = await answered(1);
    const card = JSON.stringify(await rate(turn, 'bad'));
    expect(card).toContain('What was wrong with it?');
    const [, draft] = /"feedback\.comment-form","args":\["([^"]+)"\]/u.exec(card) ?? [];
    const form = dynamo.items('conversations').find(({ sk }) => sk?.S === `DRAFT#${draft}`)?.['forms']?.S;
    expect(form).toContain('"feedback.comment"');
    expect(await list()).toContain('👎 1');
    expect(JSON.stringify(await comment(turn, '  It was  wrong.\nVery. '))).toContain('can read it');
    expect(await list()).toContain('“It was wrong. Very.”');
    expect(JSON.stringify(await comment(turn, ' '))).toContain('Thank you');
    expect(await list()).toContain('It was wrong.');
  });

  test('the worker opens the modal if the front could not, only for the person who rated', async () => {
    const { answered, rate, call, stage } = harness();
    await rate(await answered(1), 'bad');
    const press = (by = MEMBER) =>
      call(
        { kind: 'action', action: { name: 'feedback.comment-form', args: ['call-1'] }, chosen: [] },
        { by },
      );
    await press();
    expect(stage.forms[0]?.form).toMatchObject({
      title: 'What was wrong?',
      action: { name: 'feedback.comment' },
    });
    expect(JSON.stringify(await press({ ...MEMBER, user: userId('U2') }))).toContain('"tone":"bad"');
    expect(stage.forms).toHaveLength(1);
  });

  test.each([
    ['a question that is not there', (turn: { message: string }) => ({ ...turn, message: messageId('1.1') })],
  ])('of %s counts for nothing, and that is said', async (_, change) => {
    const { answered, call, list, logged } = harness();
    const turn = change(await answered(1));
    const action = { name: 'feedback.rate', args: ['1.1', turn.message, 'bad'] };
    expect(JSON.stringify(await call({ kind: 'action', action, chosen: [] }))).toContain('no longer exists');
    expect(await list()).toContain('No answer was rated');
    expect(logged).toEqual([]);
  });

  test('without admins, no comment is requested and nothing is listed', async () => {
    const { answered, rate, list } = harness(NO_GUILD);
    expect(JSON.stringify(await rate(await answered(1), 'bad'))).not.toContain('comment-form');
    expect(await list()).toContain('No answer was rated');
  });
});

describe('the list', () => {
  test('is only for admins', async () => {
    const { answered, rate, list, stage } = harness();
    await rate(await answered(1), 'bad');
    expect(await list('', MEMBER)).toContain('Only admins can');
    expect(await list('csv:yes', MEMBER)).toContain('Only admins can');
    expect(stage.handed).toEqual([]);
  });

  test('groups by model, channel and week, with links and comments, without names', async () => {
    const { answered, rate, comment, list } = harness();
    const [bad, good, other] = [await answered(1), await answered(2), await answered(9, 'small', 'C2')];
    await rate(bad, 'bad');
    await comment(bad, 'Wrong.');
    await rate(good, 'good', { ...MEMBER, user: userId('U2') });
    await rate(other, 'good');
    const card = await list();
    expect(card).toContain('The last 4 weeks: 👍 2 · 👎 1');
    expect(card).toContain('`big`: 👍 1 · 👎 1 (50%)\\n- `small`: 👍 1 · 👎 0 (100%)');
    expect(card).toContain('<#C1>: 👍 1 · 👎 1 (50%)\\n- <#C2>: 👍 1');
    expect(card).toContain('Week of 16 Nov 2026: 👍 1 · 👎 1 (50%)\\n- Week of 9 Nov 2026: 👍 1');
    expect(card).toMatch(
      /👎 22 Nov 2026 · <#C1> · `big` · \[answer\]\([^)]*\)\\n {2}“Wrong\.”\\n- 👍 21 Nov/u,
    );
    expect(card).not.toMatch(/U1|U2/u);
  });

  test('is filtered by weeks, rating, model and channel', async () => {
    const { answered, rate, list } = harness();
    await rate(await answered(1), 'bad');
    await rate(await answered(10, 'small', 'C2'), 'good');
    const counts = async (options: string) => /👍 \d+ · 👎 \d+/u.exec(await list(options))?.[0];
    expect(await counts('')).toBe('👍 1 · 👎 1');
    expect(await counts('weeks:1')).toBe('👍 0 · 👎 1');
    expect(await counts('rating:good')).toBe('👍 1 · 👎 0');
    expect(await counts('model:big')).toBe('👍 0 · 👎 1');
    expect(await counts('here:yes')).toBe('👍 0 · 👎 1');
    expect(await list('here:yes rating:bad')).toContain('Only: Bad · this channel');
    expect(await list('model:big')).toContain('Only: `big`');
    expect(await list()).not.toContain('Only:');
    const none = await list('model:small rating:bad');
    expect(none).toContain('Only: Bad · `small`');
    expect(none).toContain('No rating in this time matches that');
    expect(none).not.toContain('No answer was rated');
  });

  test('says that there are more ratings than are read', async () => {
    const { answered, rate, list, context } = harness();
    await rate(await answered(1), 'bad');
    expect(await list()).not.toContain('Only the newest');
    const place = { platform: 'slack', workspace: workspaceId('T1') } as const;
    const [one] = await context.ratings.list(place, 0, 1);
    if (!one) throw new Error('no rating');
    jest.spyOn(context.ratings, 'list').mockResolvedValue(Array.from({ length: 1_000 }, () => one));
    expect(await list('rating:good')).toContain('Only the newest 1,000 ratings are counted.');
  });

  test('contains nothing beyond the retention period', async () => {
    const { answered, rate, call, list, time } = harness();
    await rate(await answered(9), 'bad');
    await call(typedCommand('settings retentionDays 7 for:workspace'), { by: ADMIN });
    time.advance(30_001);
    expect(await list()).toContain('No answer was rated');
  });

  test('has no link to ephemeral or deleted answers', async () => {
    const { answered, rate, list, stage } = harness();
    await rate(await answered(1, 'big', 'D1'), 'bad');
    expect(await list()).toMatch(/in private: 👍 0/u);
    expect(await list()).not.toContain('](');
    await rate(await answered(2), 'bad');
    stage.refuse.getPermalink = new Error('gone');
    expect(await list()).not.toContain('](');
  });

  test('as a CSV file contains all ratings and no formula', async () => {
    const { answered, rate, comment, list, stage } = harness();
    const turn = await answered(1);
    await rate(turn, 'bad');
    await comment(turn, '=1+1, "so"');
    expect(await list('csv:yes')).toContain('Only you see the table');
    expect(stage.handed[0]?.file.name).toBe('feedback-2026-10-26-2026-11-23.csv');
    const [head, row] = (stage.handed[0]?.text ?? '').split('\n');
    expect(head).toBe('week,asked_at,channel,model,rating,text,link');
    expect(row).toMatch(/^2026-11-16,2026-11-22T12:00:00\.000Z,C1,big,bad,"'=1\+1, ""so""",\S+$/u);
  });

  test.each(LOCALES)('in %s fits into a message of Slack, however much there is', async (locale) => {
    const { answered, rate, comment, call } = harness();
    for (let n = 1; n <= 15; n += 1) {
      const turn = await answered(n, `${'model'.repeat(20)}-${n}`, `C${n}`);
      await rate(turn, 'bad');
      await comment(turn, '値'.repeat(1_000));
    }
    const card = await call(typedCommand('feedback'), { by: { ...ADMIN, locale } });
    expect(JSON.stringify(card)).toContain('csv:yes');
    const blocks = v.parse(v.array(jsonObject), card && renderCard(card, 'message').blocks);
    expect(() => checkBlocks(blocks)).not.toThrow();
  });
});
