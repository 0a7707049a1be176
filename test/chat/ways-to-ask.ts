import type { Budgets } from '../../shared/billing/unlimited-budget.ts';
import { messageId, type PromptMessage, userId } from '../../shared/domain/index.ts';
import { requestCompletion } from '../../shared/commands/framework/run-model-request.ts';
import { offerFollowUps } from '../../shared/chat/model/follow-ups.ts';
import { runCompletion } from '../../shared/chat/model/run-completion.ts';
import type { Chat, RequestPermits, Settings } from '../../shared/ports/index.ts';
import type { Clock } from '../../shared/upstream/index.ts';

import type { ChatTool } from '../../shared/ports/chat-tool.ts';
import { summarizeRecording } from '../../shared/voice/summary.ts';
import { calculateCost } from '../../shared/upstream/index.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { fakeInteraction, commandHarness as callRig, typedCommand } from '../commands/command-harness.ts';
import { completionHarness, TURN } from './completion-harness.ts';
import { voiceHarness as voiceRig, task } from '../voice/voice-harness.ts';
import type { Price } from '../../shared/billing/reservation.ts';

/** Models with their token prices in dollars. */
const PRICES = {
  plain: { prompt: '0.000001', completion: '0.000003' },
  dear: { prompt: '0.000004', completion: '0.00002', request: '0.0001' },
  cheap: { prompt: '0.0000001', completion: '0.0000002' },
} as const;
export const priceOf = (name: string) => Object.entries(PRICES).find(([text]) => text === name)?.[1];
/** The prices by that list. */
export const price: Price = (names, usage, images) => {
  const pricing = names.map(priceOf).find((one) => one !== undefined);
  return Promise.resolve({ atto: calculateCost(usage, pricing, images).atto, priced: pricing !== undefined });
};
const TOOL: ChatTool = {
  definition: { name: 'look_up', description: 'Looks it up. '.repeat(60) },
  prepare: () => ({
    title: 'Looking it up',
    status: ['answers.status.reading'],
    run: () => Promise.resolve({ content: 'Found. '.repeat(40), summary: 'found' }),
  }),
};
const FORMAT = {
  name: 'form',
  schema: { type: 'object', properties: { answer: { type: 'string', description: 'x'.repeat(900) } } },
};

/** No model is at capacity: all are requested as named. */
const NEVER_FULL = {
  waitMs: () => Promise.resolve(0),
  enter: () => Promise.resolve(0),
  recordFailure: () => Promise.resolve(),
  recordSuccess: () => Promise.resolve(),
  recordNoResult: () => Promise.resolve(),
};

/** The ways to ask: in a thread, with tools, for three versions, privately, for a modal, a summary of a recording, and suggestions. */
export const WAYS = ['public', 'tools', 'versions', 'private', 'form', 'recording', 'next'] as const;
export type Way = (typeof WAYS)[number];

/** Asks in one of the ways. `nth` makes it unique; odd numbers are of U1. */
export async function askBy(
  way: Way,
  nth: number,
  settings: Settings,
  chat: Chat,
  spending: Budgets,
  { permits = UNLIMITED_PERMITS, time }: { permits?: RequestPermits; time?: Clock } = {},
) {
  const person = userId(`U${nth % 2}`);
  const prompt: PromptMessage[] = [{ role: 'user', content: `Question ${nth}. ${'Why? '.repeat(nth % 50)}` }];
  const { work } = completionHarness([], {
    owner: { id: `m${nth}`, thread: TURN.thread, person, isQuestion: false },
  });
  const shared = { settings, chat, permits, budgets: spending, ...(time && { time }) };
  const context = { ...work.context, ...shared, breakers: NEVER_FULL };
  switch (way) {
    case 'public':
    case 'tools':
    case 'versions': {
      const versions = way === 'versions' ? 3 : undefined;
      await runCompletion(prompt, { ...work, context, tools: way === 'tools' ? [TOOL] : [], versions });
      return;
    }
    case 'private':
    case 'form': {
      const call = typedCommand('ask');
      const by = { ...fakeInteraction(call).by, user: person };
      const called = {
        interaction: fakeInteraction(call, { id: `c${nth}`, by }),
        locale: 'en',
        admin: false,
        payload: call,
      } as const;
      const format = way === 'form' ? FORMAT : undefined;
      const rig = callRig().context;
      const { toolLog } = rig;
      await requestCompletion(prompt, called, { ...rig, ...context, toolLog }, work.delivery, {
        format,
      });
      return;
    }
    case 'recording': {
      const transcription = task(
        { kind: 'show', summary: true },
        { message: messageId(`r${nth}`), asker: person },
      );
      const { delivery } = work;
      const all = { ...voiceRig().context, ...shared };
      await summarizeRecording(
        'Some words. '.repeat(nth),
        600_000,
        { task: transcription, ref: { ...transcription, file: 'F1' }, locale: 'en', delivery },
        all,
      );
      return;
    }
    case 'next': {
      const outcome = { kind: 'answered', text: 'Four.', finish: 'stop', model: 'plain' } as const;
      const next = {
        ...context,
        settings: { ...settings, followUpModel: 'plain' },
        messenger: new FakeMessenger(),
      };
      const turns = { saveFollowUps: () => Promise.resolve() };
      const turn = { ...TURN, asker: person, message: messageId(`n${nth}`) };
      await offerFollowUps(
        { turn, question: 'Why?', outcome, fence: 1 },
        { ...next, turns },
        work.delivery,
        'en',
      );
    }
  }
}
