import { isPicture, type Interaction, type Modal, type ModalField } from '../../domain/index.ts';
import { MAX_PROMPT_LENGTH, type VideoModel } from '../../video/jobs/index.ts';
import type { DiscordFrontStore } from '../../storage/index.ts';
import { type FormTexts, getFormTexts } from '../../i18n/index.ts';

/** What is proposed where nobody said anything: in English, which models follow best. */
export const PROPOSAL = 'Bring this picture gently to life: small, natural movements, a still camera.';

/** The command of a message's menu that opens the form. */
export const ANIMATE = 'animate-form';

export type VideoFormContext = {
  readonly store: Pick<DiscordFrontStore, 'saveNote' | 'findVideoDraft'>;
  /** Those that make videos, the usual one first; none where there are no videos. */
  readonly videoModels: readonly VideoModel[];
};

/**
 * The form of a video that a call opens, by a person's language; undefined for a call that the worker is to answer: what it
 * names may not be theirs, and whether they are an admin the platform may not have told. What it
 * is about is kept under the call's id: a form carries little. Comes back as `video.begin|<call>|<channel>|<root>`, `video.make|<job>` for a
 * job that was only proposed, `video.change|<job>` for one that is to be followed by another. Who may is asked then.
 */
export async function videoFormFor(
  { id, platform, workspace, by, call }: Interaction,
  { store, videoModels: models }: VideoFormContext,
): Promise<((tag?: string) => Modal) | undefined> {
  if (call.kind === 'on-message' && call.name === ANIMATE) {
    const [usual] = models;
    if (!usual || !call.message.attachments.some(isPicture)) return undefined;
    const { channel, root } = call.message.thread;
    await store.saveNote(id, { platform, workspace, channel, root, user: by.user }, call.message);
    return renderDraft(
      ['begin', id, channel, root],
      { prompt: PROPOSAL, model: usual.name, price: usual.price },
      models,
    );
  }
  if (call.kind !== 'action' || call.action.name !== 'video.change-form') return undefined;
  const [job = ''] = call.action.args;
  const caller = { platform, workspace, by, admin: by.admin === true };
  const drafted = await store.findVideoDraft(job, caller);
  return drafted && changeFormOf(job, drafted, models);
}

/** The form that changes what job `id` was asked for with, by a person's language. */
export const changeFormOf = (
  id: string,
  job: DraftedVideo & { readonly state: string },
  models: readonly VideoModel[],
): ((tag?: string) => Modal) => renderDraft([job.state === 'proposed' ? 'make' : 'change', id], job, models);

type DraftedVideo = { readonly prompt: string; readonly model: string; readonly price?: string | undefined };

function renderDraft(
  [deed, ...args]: readonly [string, ...string[]],
  of: DraftedVideo,
  models: readonly VideoModel[],
) {
  return (tag?: string): Modal => {
    const texts = getFormTexts(tag);
    // A video that was proposed costs what its card says.
    const price = deed === 'make' ? of.price : (models.find(({ name }) => name === of.model) ?? of).price;
    const happens = `${texts('happens')} (${about(price, texts)})`;
    const fields: ModalField[] = [
      { id: 'prompt', kind: 'paragraph', label: happens, value: of.prompt, most: MAX_PROMPT_LENGTH },
    ];
    // Which of several models makes it, each with its price.
    const options = models.map((one) => ({
      label: `${one.name} (${about(one.name === of.model ? price : one.price, texts)})`,
      value: one.name,
    }));
    if (models.length > 1)
      fields.push({ id: 'model', kind: 'choice', label: texts('model'), options, value: of.model });
    const action = { name: `video.${deed}`, args };
    return { title: texts('animate'), submit: texts('animate'), action, fields };
  };
}

/** A price in US dollars, for people. */
const about = (price: string | undefined, texts: FormTexts): string =>
  price === undefined ? texts('noPrice') : `${texts('price')} $${price}`;
