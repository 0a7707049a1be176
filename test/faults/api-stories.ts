import { channelId } from '../../shared/domain/index.ts';
import { signWebhook } from '../../shared/integrations/index.ts';
import { getField } from '../../shared/storage/dynamodb/json-protocol.ts';
import { tokenOf } from '../soak/models.ts';
import { ApiProgram, eventsIn, WEBHOOK_SECRET } from './api-program.ts';
import type { Deployment } from './deployment.ts';
import {
  type DeploymentScript,
  deploymentStory,
  countLatePosts,
  hasLatePost,
  isCard,
  isUndisturbed,
  tenantOf,
} from './deployment-story.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Story } from './story.ts';

const TOKEN = tokenOf(1, 0, 0);
const QUESTION = `what about ${TOKEN}?`;
/** A webhook is sent so often. */
const MAX_SENDS = 6;

/** The programs of runs: a script has no state of its own. */
const programs = new WeakMap<Deployment, ApiProgram>();

async function addProgram(harness: Deployment, channels?: readonly string[]): Promise<ApiProgram> {
  const program = new ApiProgram(harness);
  programs.set(harness, program);
  await program.add(channels);
  return program;
}

/** The turns whose answers are stored. */
const answeredIn = ({ memory }: Deployment) =>
  memory.items('conversations').filter(({ sk, body }) => sk?.S?.startsWith('TURN#') && body !== undefined);

/** The queue gave up what the program asked, and the program is told so. */
const isToldOfFailure = (harness: Deployment): boolean =>
  harness.hasDeadLetters && programs.get(harness)?.last?.status === 'failed';

/** It is told one answer, which is stored once; its webhook tells the same. */
function wrongIn(harness: Deployment): string[] {
  const program = programs.get(harness);
  const { status, answer, error } = program?.last ?? {};
  const isAnswered = status === 'completed' && answer?.startsWith(`Answer to ${TOKEN}:`) === true;
  const isExcused = isToldOfFailure(harness);
  const turns = answeredIn(harness);
  return [
    ...(isAnswered || isExcused ? [] : [`the program is told ${status}: ${answer} ${JSON.stringify(error)}`]),
    ...(turns.length === 1 || isExcused ? [] : [`${turns.length} turns`]),
    ...(isUndisturbed(harness) && harness.requests.length !== 1
      ? [`${harness.requests.length} requests`]
      : []),
    ...webhooksOf(harness, answer ?? null),
  ];
}

/** The receiver gets one event, signed, as often as it takes. */
function webhooksOf(harness: Deployment, answer: string | null): string[] {
  const { webhooks } = harness.tracker;
  const ids = new Set(webhooks.map(({ headers }) => headers['webhook-id']));
  const lost = harness.processes.trace.filter((line) => line.includes('tool webhook !!')).length;
  const mayMiss = harness.hasDeadLetters || lost >= MAX_SENDS;
  return [
    ...(ids.size === 1 || (ids.size === 0 && mayMiss) ? [] : [`${ids.size} events for the webhook`]),
    ...webhooks.flatMap(({ headers, body }) => {
      const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
      const signed = signWebhook(WEBHOOK_SECRET, { id, atSeconds: Number(timestamp), body });
      const payloadAnswer = getField(getField(JSON.parse(body), 'data'), 'answer');
      return [
        ...(signed['webhook-signature'] === headers['webhook-signature'] ? [] : ['a webhook is not signed']),
        ...(payloadAnswer === answer ? [] : [`the webhook tells ${JSON.stringify(payloadAnswer)}`]),
      ];
    }),
  ];
}

/** A program asks in a conversation of its own. */
const ASK: DeploymentScript = {
  act: async (harness) => (await addProgram(harness)).ask({ question: QUESTION }),
  wrong: wrongIn,
};

/** It waits longer for a response than the queue drops a task that is sent again. */
export const ASK_LATER: Story = deploymentStory('api-ask-later', {
  ...ASK,
  act: async (harness) => (await addProgram(harness)).ask({ question: QUESTION }, 300_000),
});

/** It reads the answer while it is made. */
const STREAM: DeploymentScript = {
  act: async (harness) => (await addProgram(harness)).ask({ question: QUESTION, stream: true }),
  wrong: (harness) => [...wrongIn(harness), ...wordsOf(harness)],
};

/** What a stream showed is at its end what is stored, and it ends once. */
function wordsOf(harness: Deployment): string[] {
  const responses = programs.get(harness)?.responses ?? [];
  if (responses.some(({ status, text }) => status < 400 && text === '')) return ['a stream names no request'];
  const streams = responses.filter(({ text }) => text.startsWith('event: '));
  return streams.flatMap(({ text }) => {
    let words = '';
    let ends = 0;
    for (const { name, data } of eventsIn(text)) {
      const event: unknown = JSON.parse(data);
      if (name === 'answer.delta') words += String(getField(event, 'delta'));
      if (name === 'answer.replaced') words = String(getField(event, 'answer'));
      if (/completed|failed|pending/u.test(name)) ends += 1;
      if (name === 'answer.completed' && words !== getField(event, 'answer'))
        return [`the stream showed "${words}"`];
    }
    return ends === 1 ? [] : [`a stream ends ${ends} times`];
  });
}

/** The messages with the question of the program, and with an answer. */
function messagesIn(harness: Deployment) {
  const { sim } = tenantOf(harness, 0);
  const messages = [...(sim.state.messages.get(sim.channel)?.values() ?? [])];
  return {
    posts: messages.filter(
      (message) => isCard(message) && JSON.stringify(message.blocks).includes('deploy-bot'),
    ),
    answers: messages.filter((message) => !isCard(message) && message.text.includes(`Answer to ${TOKEN}`)),
  };
}

/**
 * A program asks in a channel: its question is posted, and answered in the thread. If the task that posts it is given up before, the program alone is
 * told.
 */
const IN_CHANNEL: DeploymentScript = {
  act: async (harness) => {
    const { sim } = tenantOf(harness, 0);
    const program = await addProgram(harness, [sim.channel]);
    await program.ask({ question: QUESTION, channel: channelId(sim.channel) });
  },
  answered: [TOKEN],
  isToldOtherwise: (harness) =>
    isToldOfFailure(harness) && (messagesIn(harness).posts.length === 0 || hasLatePost(harness)),
  wrong: (harness) => {
    const { posts, answers } = messagesIn(harness);
    return [
      ...wrongIn(harness),
      ...((posts.length >= 1 && posts.length <= 1 + countLatePosts(harness)) ||
      (posts.length === 0 && isToldOfFailure(harness))
        ? []
        : [`the question is posted ${posts.length} times`]),
      ...(isToldOfFailure(harness) && answers.length > 0
        ? ['the program is told that an answered question failed']
        : []),
    ];
  },
};

export const API_STORIES: readonly Story[] = [
  deploymentStory('api-ask', ASK),
  deploymentStory('api-stream', STREAM),
  deploymentStory('api-channel', IN_CHANNEL),
];

const BUGS: Partial<Record<SeededBug, DeploymentScript>> = {
  'a repeated request of a program is asked again': ASK,
  'a webhook is sent once only': ASK,
};

/** The story that detects a bug of this kind, with the bug or without. */
export const apiBug = (bug: SeededBug, isSeeded: boolean): Story | undefined =>
  BUGS[bug] && deploymentStory(`bug-${bug}`, BUGS[bug], isSeeded ? bug : undefined);
