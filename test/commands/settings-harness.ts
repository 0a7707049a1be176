import { userId, workspaceId } from '../../shared/domain/index.ts';
import type { WorkerContext } from '../../shared/worker/index.ts';
import { DEFAULTS, type Settings } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { fakeInteraction, commandHarness, typedCommand } from './command-harness.ts';

/** Two people of one workspace. */
export const ADMIN = {
  user: userId('U9'),
  workspace: workspaceId('T1'),
  roles: [],
  admin: true,
  locale: 'en',
};
export const MEMBER = { ...ADMIN, user: userId('U1'), admin: false };

/** A workspace whose upstream has two models. */
export function settingsHarness(settings: Settings = DEFAULTS, more: Partial<WorkerContext> = {}) {
  const at = commandHarness({
    ...more,
    settings,
    chat: {
      ...streamsOnly,
      model: 'usual',
      async *stream() {
        yield* [];
      },
      listModels: async () => [
        {
          id: 'usual',
          context: 128_000,
          inputModalities: ['text'],
          capabilities: [],
          ready: true,
          pricePerThousand: () => 0.42,
        },
        {
          id: 'big',
          inputModalities: ['text', 'image'],
          capabilities: [],
          ready: false,
          pricePerThousand: () => undefined,
        },
      ],
    },
  });
  let calls = 0;
  /** What a person types, and the card they see. */
  const type = async (text: string, by = MEMBER) => {
    calls += 1;
    await at.call(fakeInteraction(typedCommand(text), { id: `call-${calls}`, by }));
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  const press = async (name: string, args: string[], chosen: string[] = [], by = MEMBER) => {
    calls += 1;
    const action = { name, args };
    await at.call(fakeInteraction({ kind: 'action', action, chosen }, { id: `call-${calls}`, by }));
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  return { ...at, type, press };
}
