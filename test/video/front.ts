import type { Modal, Interaction } from '../../shared/domain/index.ts';
import { loadVideoForm } from '../../shared/commands/forms/video-form.ts';
import { FrontStore } from '../../shared/storage/interactions/front-store.ts';
import type { VideoHarness } from './video-harness.ts';

/** The modal that an interaction opens in a front of this context. */
export async function formFor(world: VideoHarness, interaction: Interaction): Promise<Modal | undefined> {
  const send = (operation: string, input: object) => {
    const of = { TableName: 'conversations', Key: {}, Item: {}, ...input };
    return operation === 'PutItem' ? world.memory.put(of) : world.memory.get(of);
  };
  const store = new FrontStore({ send, table: 'conversations', days: 30, now: () => world.now });
  return (await loadVideoForm(interaction, { store, videoModels: world.models }))?.('en');
}
