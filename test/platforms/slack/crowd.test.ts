import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/conversation/index.ts';
import { createSlackPlatform, type SlackCall } from '../../../shared/platforms/slack/index.ts';
import { Crowd } from '../../../shared/store/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { createWorkspace, directCall } from '../../simulators/slack/index.ts';
import { fakeTime } from './fake-slack.ts';

const SECONDS = 240;
const ANSWERS = 6;

/** Two processes that each show six answers of four minutes in one workspace, which keeps to Slack's tiers. */
async function play(tell: 'the others' | 'nobody') {
  const time = fakeTime();
  const workspace = createWorkspace({ clock: time.now, enforceTiers: true });
  const { users, botUserId, teamId } = workspace.identity;
  const asker = userId(users[0]?.id ?? '');
  const dynamo = createMemoryDynamo();
  const refused: number[] = [];
  const direct = directCall(workspace);
  const call: SlackCall = async (method, args) => {
    try {
      return await direct(method, args);
    } catch (error) {
      if (method === 'chat.appendStream') refused.push(time.elapsed());
      throw error;
    }
  };
  const replies = [0.1, 0.9].flatMap((at) => {
    const crowd = new Crowd({ dynamo, table: 'tokens', now: time.now, random: () => at });
    const tellOthers = (open: number): Promise<number> => crowd.tell('slack#T0', open);
    const told = tell === 'nobody' ? {} : { tellOthers };
    const platform = createSlackPlatform({ call, time, botUserId, ...told });
    return Array.from({ length: ANSWERS }, () => {
      const root = messageId(workspace.say(asker, 'Tell me.'));
      const thread = {
        platform: 'slack' as const,
        workspace: workspaceId(teamId),
        channel: channelId(workspace.channel),
        root,
      };
      return platform.reply({ thread, message: root, asker, askerWorkspace: workspaceId(teamId) }, []);
    });
  });
  let text = '';
  for (let n = 0; n < SECONDS * 2; n += 1) {
    text += `word${n} `;
    for (const reply of replies) reply.write(`word${n} `);
    await time.advance(500);
  }
  // Not all in the same moment, as nobody would: twenty streams can be ended in a minute.
  for (const reply of replies) await time.until(reply.finish(text));
  const shown = [...(workspace.state.messages.get(workspace.channel)?.values() ?? [])];
  const whole = Map.groupBy(
    shown.filter(({ user }) => user === botUserId),
    ({ thread }) => thread,
  );
  const texts = [...whole.values()].map((messages) =>
    messages
      .map((one) => one.text)
      .join('')
      .trim(),
  );
  return { refused, texts, text: text.trim(), writes: dynamo.items('tokens') };
}

/** After the first minute and a half, in which the processes come to know of each other. */
const fresh = (refused: readonly number[]) => refused.filter((at) => at > 90_000);

test('all open answers of a workspace keep to its tiers together, whichever process shows them', async () => {
  const { refused, texts, text, writes } = await play('the others');
  expect(fresh(refused)).toEqual([]);
  expect(texts).toEqual(Array.from({ length: 2 * ANSWERS }, () => text));
  expect(writes).toHaveLength(1);
});

test('without the table Slack says when to wait, and nothing is lost', async () => {
  const { refused, texts, text } = await play('nobody');
  expect(fresh(refused).length).toBeGreaterThan(0);
  expect(texts).toEqual(Array.from({ length: 2 * ANSWERS }, () => text));
}, 20_000);
