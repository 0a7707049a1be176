import { streamsOnly } from '../fakes/streams-only.ts';
import { describe, expect, test } from '@jest/globals';
import {
  type CardAction,
  serializeAction,
  type InteractionPayload,
  type Card,
  channelId,
  type Modal,
  messageId,
  type Thread,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { MAX_PROMPT_LENGTH } from '../../shared/video/jobs/index.ts';
import { loadVideoForm } from '../../shared/commands/forms/video-form.ts';
import { buildCommandForm } from '../../shared/commands/open-command-form.ts';
import { COMMANDS, FILES } from '../../shared/commands/command-list.ts';
import { createJobCard, createLinkCard, createJobListCard } from '../../shared/video/display/card.ts';
import { createTranslatedCard, createTranscriptCard } from '../../shared/voice/cards.ts';
import { progressCard } from '../../shared/voice/transcription/progress-cards.ts';
import { type Job, jobId, JOB_STATES } from '../../shared/video/jobs/index.ts';
import { renderCard } from '../../shared/platforms/discord/blocks/card-components.ts';
import { renderModal } from '../../shared/platforms/discord/blocks/modal.ts';
import { SETTINGS } from '../../shared/settings/rules/index.ts';
import { type Locale, LOCALES } from '../../shared/i18n/index.ts';
import { cardFaults, formFaults } from '../platforms/discord/faults.ts';
import { endEvent } from '../chat/completion-harness.ts';
import { fakeInteraction, commandHarness } from './command-harness.ts';

const ID = '9'.repeat(20);
const MODEL = 'maker/model-'.padEnd(150, 'W');
const WIDE = '長'.repeat(4_000);
const thread: Thread = {
  platform: 'discord',
  workspace: workspaceId(ID),
  channel: channelId(ID),
  root: messageId(ID),
};
const press = (name: string, ...args: string[]): InteractionPayload => ({
  kind: 'action',
  action: { name, args },
  chosen: [],
});
const message = { thread, id: thread.root, author: userId(ID), text: WIDE, attachments: [] };

const PICTURE = { id: 'x', name: 'x.png', mimetype: 'image/png', bytes: 1 };

function job(locale: Locale, state: Job['state'] = 'proposed'): Job {
  const id = jobId(`${'f'.repeat(16)}-${'f'.repeat(20)}`);
  if (!id) throw new Error('no id of a job');
  return {
    id,
    by: { platform: 'discord', workspace: workspaceId(ID), user: userId(ID) },
    thread,
    requestMessage: messageId(ID),
    state,
    version: 1,
    createdAt: 0,
    locale,
    prompt: '長'.repeat(MAX_PROMPT_LENGTH),
    model: MODEL,
    price: '12345.678',
    place: 1_000_000,
    reason: WIDE,
    picture: PICTURE,
    key: 'key',
  };
}

/** Every form there is, with the longest that people and the bot put into it. */
async function forms(locale: Locale): Promise<Modal[]> {
  const opening = [
    press('key.set-form'),
    press('ask.open-form'),
    press('persona.save-form', 'x'.repeat(60)),
    ...Object.keys(SETTINGS).map((name) => press('settings.set-form', 'workspace', name)),
    { kind: 'on-message' as const, name: 'ask-about', message },
  ];
  const opened = opening.map((call) => buildCommandForm(call, 'discord', locale));
  const priced = { name: MODEL, operation: 'image-to-video', field: 'image', price: '12345.678' } as const;
  const videoModels = [priced, { ...priced, name: 'b', price: undefined }];
  const store = {
    saveNote: () => Promise.resolve(),
    findVideoDraft: () => Promise.resolve(job(locale)),
  };
  const pictured = { ...message, attachments: [PICTURE] };
  const asking = [
    { kind: 'on-message' as const, name: 'animate-form', message: pictured },
    press('video.change-form', 'x'.repeat(37)),
  ];
  const modals = await Promise.all(
    asking.map((call) => loadVideoForm(fakeInteraction(call), { store, videoModels })),
  );
  const videos = modals.flatMap((draw) => (draw ? [draw(locale)] : []));
  return [...opened.filter((form) => form !== undefined), ...videos];
}

describe.each(LOCALES)('Discord takes, in %s', (locale) => {
  test('Discord accepts every modal, and no text of the bot is cut', async () => {
    const all = await forms(locale);
    expect(all).toHaveLength(6 + Object.keys(SETTINGS).length);
    for (const form of all) {
      expect(formFaults(form)).toEqual([]);
      const drawn = JSON.stringify(renderModal({ ...form, fields: form.fields.map(emptied) }));
      expect(drawn).not.toContain('…');
    }
  });

  test('Discord accepts the cards of videos and recordings', () => {
    const chunks = [{ n: 0, fromMs: 0, toMs: 3_600_000, text: WIDE, words: [], translation: WIDE }];
    const ref = { thread, message: messageId(ID), file: ID };
    const cards = [
      ...JOB_STATES.map((state) => createJobCard(job(locale, state))),
      createLinkCard(job(locale), `https://example.com/${'x'.repeat(2_000)}`, {
        hours: 1,
        days: 2,
        why: ['files.upload.scope'],
      }),
      createJobListCard(
        Array.from({ length: 50 }, () => job(locale, 'failed')),
        locale,
      ),
      progressCard(chunks, { ms: 7_200_000, estimated: true }, { ref, requestedBy: userId(ID) }, locale),
      createTranscriptCard({ ref, by: userId(ID), chunks, ms: 3_600_000, to: 'zh', summary: WIDE }, locale),
      createTranslatedCard(chunks, 'zh', ref, locale),
    ];
    for (const card of cards) expect(cardFaults(card)).toEqual([]);
  });

  test('Discord accepts the response card of each command', async () => {
    const models = Array.from({ length: 60 }, (_, nth) => ({
      id: `${nth}-${MODEL}`.slice(0, 150),
      context: 1_000_000,
      inputModalities: ['text', 'image', 'audio'],
      capabilities: [],
      ready: true,
      pricePerThousand: () => 12_345.67,
    }));
    const at = commandHarness({
      chat: { ...streamsOnly, model: MODEL, stream: atLength, listModels: async () => models },
    });
    const by = { user: userId(ID), workspace: workspaceId(ID), roles: [], admin: true, locale };
    const calls: InteractionPayload[] = [
      ...COMMANDS.flatMap(({ name }): InteractionPayload[] => [
        { kind: 'command', name, options: {}, attachments: [] },
        { kind: 'command', name, options: { for: 'workspace', of: 'workspace' }, attachments: [] },
      ]),
      ...FILES.flatMap(({ messageCommand }): InteractionPayload[] =>
        messageCommand ? [{ kind: 'on-message', name: messageCommand.name, message }] : [],
      ),
      { kind: 'command', name: 'nothing', options: {}, attachments: [] },
    ];
    for (const [nth, call] of calls.entries()) {
      const id = String(BigInt(ID) - BigInt(nth));
      await at.call(fakeInteraction(call, { id, platform: 'discord', thread, by, channel: channelId(ID) }));
    }
    const cards: Card[] = [...at.stage.answers.map(({ card }) => card), ...at.stage.cards.values()];
    expect(cards.length).toBeGreaterThan(COMMANDS.length);
    for (const card of cards) expect(cardFaults(card)).toEqual([]);
    // Nor is anything that can be pressed left out for want of room.
    for (const card of cards) {
      const drawn = JSON.stringify(renderCard(card));
      for (const action of actionsOn(card))
        expect(drawn).toContain(`"custom_id":"${serializeAction(action)}"`);
    }
  });
});

const actionsOn = ({ parts }: Card): CardAction[] =>
  parts.flatMap((part) => (part.kind === 'controls' ? part.controls : [])).map(({ action }) => action);

const emptied = (field: Modal['fields'][number]): Modal['fields'][number] =>
  field.kind === 'choice' ? field : { ...field, value: undefined };

async function* atLength(): AsyncGenerator<ReturnType<typeof endEvent>> {
  yield endEvent(WIDE);
}
