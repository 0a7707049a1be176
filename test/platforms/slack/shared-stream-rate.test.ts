import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { createSlackPlatform, type SlackCall } from '../../../shared/platforms/slack/index.ts';
import { StreamCounter } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { createDirectClient } from '../../simulators/slack/direct-client.ts';
import { createWorkspace } from '../../simulators/slack/index.ts';
import { fakeTime } from './fake-slack.ts';

type Play = {
  readonly tell: 'the others' | 'nobody';
  readonly processes: number;
  /** Per process. */
  readonly answers: number;
  readonly seconds: number;
};

/** Processes that start long answers at the same time in one workspace, which enforces Slack's tiers. */
async function play({ tell, processes, answers, seconds }: Play) {
  const time = fakeTime();
  const workspace = createWorkspace({ clock: time.now, enforceTiers: true });
  const { users, botUserId, teamId } = workspace.identity;
  const asker = userId(users[0]?.id ?? '');
  const dynamo = createMemoryDynamo();
  const delays: number[] = [];
  let seed = 1;
  /** The latency of Slack in ms; the table has a fourth of it. */
  const latency = (): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return 60 + (seed % 120);
  };
  const direct = createDirectClient(workspace);
  const call: SlackCall = async (method, args) => {
    await time.sleep(latency());
    try {
      return await direct(method, args);
    } catch (error) {
      if (method === 'chat.appendStream') delays.push(time.elapsed());
      throw error;
    }
  };
  const replies = Array.from({ length: processes }).flatMap((_, at) => {
    const random = (): number => at / processes;
    const crowd = new StreamCounter({ dynamo, table: 'tokens', now: time.now, random });
    const reportOpenStreams = (open: number): Promise<number> =>
      time.sleep(latency() / 4).then(() => crowd.report('slack#T0', open));
    const reporting = tell === 'nobody' ? {} : { reportOpenStreams };
    const platform = createSlackPlatform({ call, time, botUserId, ...reporting });
    return Array.from({ length: answers }, () => {
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
  for (let n = 0; n < seconds * 5; n += 1) {
    text += `word${n} `;
    for (const reply of replies) reply.write(`word${n} `);
    await time.advance(200);
  }
  // Not all at the same time: twenty streams may be stopped in a minute.
  for (const reply of replies) await time.until(reply.publish(text));
  const posts = [...(workspace.state.messages.get(workspace.channel)?.values() ?? [])];
  const whole = Map.groupBy(
    posts.filter(({ user }) => user === botUserId),
    ({ thread }) => thread,
  );
  const texts = [...whole.values()].map((messages) =>
    messages
      .map((one) => one.text)
      .join('')
      .trim(),
  );
  return { delays, texts, text: text.trim(), writes: dynamo.items('tokens') };
}

test.each([
  [2, 6],
  [3, 4],
  [13, 1],
  [20, 1],
  [10, 2],
  [4, 5],
])(
  '%i processes with %i answers each stay together within the tiers of the workspace from the first second',
  async (processes, answers) => {
    const { delays, texts, text, writes } = await play({
      tell: 'the others',
      processes,
      answers,
      seconds: 150,
    });
    expect(delays).toEqual([]);
    expect(texts).toEqual(Array.from({ length: processes * answers }, () => text));
    expect(writes).toHaveLength(1);
  },
);

test("without the table each process slows down after Slack's 429, and nothing is lost", async () => {
  const { delays, texts, text } = await play({ tell: 'nobody', processes: 2, answers: 6, seconds: 240 });
  expect(delays.length).toBeGreaterThan(0);
  expect(delays.length).toBeLessThan(40);
  expect(texts).toEqual(Array.from({ length: 12 }, () => text));
});
