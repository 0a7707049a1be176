import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import { TASKS } from '../../../shared/runtime/shared-names.ts';
import { dataFolder, startJourneyHarness } from '../../journeys/harness.ts';
import {
  type DiscordSimulator,
  Gateway,
  sourceOf,
  startDiscordSimulator,
} from '../../simulators/discord/index.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../../simulators/upstream/index.ts';
import { inOwnProcess, processorMs } from '../measured-process.ts';
import { END, type Measured, ownFirstMs, questionOf, type Script, untilLastToken } from './answers.ts';
import { bundlePeer } from './install.ts';
import type { Figure, Section } from './figures.ts';
import { MODEL, startBot, STARTED_MS, UPSTREAM } from './subjects.ts';

/** A bot that is measured, with the Discord and the models that it is connected to. */
type DiscordSubject = {
  readonly name: string;
  readonly discord: DiscordSimulator;
  readonly upstream: UpstreamSimulator;
  readonly pid: () => string;
  readonly close: () => Promise<void>;
};

/** An answer takes two seconds. */
const TIMEOUT_MS = 12_000;
const WARM_UP = 2;
const GAP_MS = 1_500;
const PACED: Script = { tokens: 100, paceMs: 20 };

/** One mention in a channel of a guild after the other. */
export async function discordSection(folder: string, runs: number): Promise<Section[]> {
  const parley = await startParley();
  const subjects = [
    parley,
    await startPeer('Chat SDK', 'chat-sdk-discord', folder),
    await startPeer('discord.js', 'discord-js', folder),
  ];
  try {
    const ownMs = await ownFirstMs(parley, PACED);
    const measured = new Map<string, Measured[]>(subjects.map(({ name }) => [name, []]));
    for (let run = -WARM_UP; run < runs; run += 1) {
      for (const subject of subjects) {
        const one = await measureAnswer(subject, PACED);
        if (run >= 0 && one) measured.get(subject.name)?.push({ ...one, firstMs: one.firstMs - ownMs });
      }
      await after(GAP_MS);
    }
    const figure = (what: string, unit: string, of: keyof Measured, digits = 0): Figure => ({
      what,
      unit,
      digits,
      values: Object.fromEntries([...measured].map(([name, all]) => [name, all.map((one) => one[of])])),
    });
    return [
      {
        title: 'One answer in Discord',
        text: 'One person at a time mentions the bot in a channel of a guild, and the model answers with 100 tokens, 20 ms each. All edit their message as the answer grows. Parley and the Chat SDK answer in a thread that they open, discord.js below the question. In Parley the question passes the relay and the queue, which are other processes. The first word is counted from the posted question, less the model’s own time; the final text from the moment in which the model has sent its last token. A question without an answer counts in the last row only: Discord sends the first message of the new thread with the id of the question, and if the Chat SDK sees it before it has seen the question through, it takes the question for a duplicate. On one machine that happens often.',
        figures: [
          figure('Discord: first word', 'ms', 'firstMs'),
          figure('Discord: last token to final text', 'ms', 'lastMs'),
          figure('Discord: calls', 'calls', 'calls'),
          figure('Discord: processor time of the process that answers', 'ms', 'processorMs', 1),
          {
            what: 'Discord: answered within 12 s',
            unit: `of ${runs}`,
            isGain: true,
            values: Object.fromEntries([...measured].map(([name, all]) => [name, [all.length]])),
          },
        ],
      },
    ];
  } finally {
    for (const subject of subjects) await subject.close();
  }
}

/** One question, alone; undefined if it is not answered. */
async function measureAnswer(
  { discord, upstream, pid }: DiscordSubject,
  script: Script,
): Promise<Measured | undefined> {
  const { core, applicationId } = discord;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const before = { calls: discord.calls.length, processorMs: processorMs(pid()) };
  const text = questionOf(script);
  const [word = ''] = /(?<==)\w+/u.exec(text) ?? [];
  const begin = performance.now();
  const lastToken = untilLastToken(upstream, signal);
  lastToken.catch(() => undefined);
  const question = core.say('ada', `@parley ${text}`);
  // A text or component begins with the first word; the Chat SDK posts `...` first.
  const isAnswered = (pattern: RegExp): true | undefined =>
    [...core.state.messages.values()].some((channel) =>
      [...channel.values()].some(
        (message) =>
          message.author === applicationId &&
          BigInt(message.id) > BigInt(question) &&
          pattern.test(JSON.stringify([message.content, message.components])),
      ),
    ) || undefined;
  const answered = (pattern: RegExp): Promise<boolean> =>
    core.until(() => isAnswered(pattern), signal).catch(() => false);
  if (!(await answered(new RegExp(`"${word}\\b`, 'u')))) return undefined;
  const firstMs = performance.now() - begin;
  if (!(await answered(new RegExp(END, 'u')))) return undefined;
  const wholeAt = performance.now();
  const lastMs = Math.max(0, wholeAt - (await lastToken));
  await after(GAP_MS);
  return {
    firstMs,
    lastMs,
    calls: discord.calls.length - before.calls,
    processorMs: processorMs(pid()) - before.processorMs,
  };
}

async function startPeer(name: string, bot: string, folder: string): Promise<DiscordSubject> {
  const file = await bundlePeer(bot, folder, 'esm');
  const discord = await startDiscordSimulator({
    identity: { botName: 'parley' },
    ignoresUnknownFields: true,
  });
  const gateway = new Gateway(sourceOf(discord.core));
  discord.setGatewayUrl(await gateway.listen({ host: '127.0.0.1', port: 0 }));
  const upstream = await startUpstreamSimulator(UPSTREAM);
  const child: ChildProcess = await startBot(file, {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    DISCORD_BOT_TOKEN: discord.botToken,
    DISCORD_APPLICATION_ID: discord.applicationId,
    DISCORD_PUBLIC_KEY: discord.keys.publicKey,
    // discord.js adds the version.
    DISCORD_API_URL: bot === 'discord-js' ? discord.apiUrl.replace(/\/v\d+$/u, '') : discord.apiUrl,
    UPSTREAM_URL: upstream.baseUrl,
    UPSTREAM_KEY: upstream.apiKey,
    MODEL,
  });
  return {
    name,
    discord,
    upstream,
    pid: () => String(child.pid),
    async close() {
      child.kill('SIGKILL');
      await gateway.close();
      await discord.close();
      await upstream.close();
    },
  };
}

async function startParley(): Promise<DiscordSubject> {
  const folder = dataFolder();
  const apart = await inOwnProcess(join(folder.path, 'worker'), {
    name: 'WorkerFunction',
    memoryMb: TASKS.workerMemoryMb,
  });
  const { system, upstream } = await startJourneyHarness(folder.path, {
    upstream: UPSTREAM,
    relay: true,
    build: () => Promise.resolve(apart.built),
  });
  await system.emulator.warm();
  await after(STARTED_MS);
  const { simulator } = system.discord;
  if (!simulator) throw new Error('Discord is not simulated');
  return {
    name: 'Parley',
    discord: simulator,
    upstream,
    pid: apart.pid,
    async close() {
      await system.close();
      folder.remove();
    },
  };
}
