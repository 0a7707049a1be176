import { type Card, userId, type Interaction, type InteractionPayload } from '../../shared/domain/index.ts';
import { handleToolRequest } from '../../shared/mcp/index.ts';
import type { ToolClientRequest } from '../../shared/mcp/protocol.ts';
import type { ToolClientResponse } from '../../shared/mcp/protocol.ts';
import { createPublicLookup } from '../../shared/runtime/public-address.ts';
import {
  type LoggedToolCall,
  ProposedCalls,
  ToolCredentials,
  ToolServerStore,
} from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { plainEncryptor } from '../fakes/plain-encryptor.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { completionHarness, endEvent, outcomeOf, TURN } from '../chat/completion-harness.ts';
import { type McpSimulator } from '../simulators/mcp/index.ts';
import { TestTime } from '../upstream/time.ts';

export const [ADMIN, ASKER, OTHER] = [userId('U9'), userId('U1'), userId('U2')];
export type Intercept = (
  request: ToolClientRequest,
  send: () => Promise<ToolClientResponse>,
) => Promise<ToolClientResponse>;

/** A workspace with the real stores, client and simulated servers. */
export function workspaceWith(sim: McpSimulator, intercept: Intercept = (_, send) => send()) {
  const dynamo = createMemoryDynamo();
  const time = new TestTime();
  const store = { dynamo, table: 'conversations', now: time.now };
  const logged: LoggedToolCall[] = [];
  const rules = { lookup: createPublicLookup(), allowedOrigins: [sim.origin] };
  const credentials = new ToolCredentials({ ...store, encryptor: plainEncryptor });
  const toolServers = {
    servers: new ToolServerStore(store),
    credentials,
    calls: new ProposedCalls(store),
    request: (request: ToolClientRequest) => intercept(request, () => handleToolRequest(request, rules)),
    redirectUrl: 'https://bot.example.com/tools/oauth',
  };
  const toolLog = {
    add: (_: unknown, call: LoggedToolCall) => Promise.resolve(void logged.push(call)),
    list: () => Promise.resolve(logged.map((call) => ({ ...call, channel: 'C1' }))),
  };
  const userProfile: Parameters<typeof commandHarness>[0] = {
    userProfile: (_, user) => Promise.resolve({ admin: user === ADMIN }),
  };
  const harness = commandHarness({ toolServers, toolLog, ...userProfile }, time);
  let nth = 0;
  const send = async (payload: InteractionPayload, user = ADMIN, more: Partial<Interaction> = {}) => {
    nth += 1;
    const by = { user, workspace: TURN.thread.workspace, roles: [] };
    await harness.call(fakeInteraction(payload, { id: `i${nth}`, by, ...more }));
    return JSON.stringify(harness.stage.answers.at(-1)?.card ?? {});
  };
  const type = (text: string, user = ADMIN) => send(typedCommand(text), user);
  const press = (name: string, args: readonly string[], user = ADMIN, more: Partial<Interaction> = {}) =>
    send({ kind: 'action', action: { name, args }, chosen: [] }, user, more);
  /** Chooses an option of a menu on a card. */
  const choose = (name: string, args: readonly string[], value: string) =>
    send({ kind: 'action', action: { name, args }, chosen: [value] });
  /** Asks a question for which the model calls this tool. */
  const ask = async (tool: string, args: unknown, asker = ASKER) => {
    const turn = { ...TURN, asker };
    const layers = await harness.context.settingsStore.layers({ ...TURN.thread, user: asker });
    const settings = { ...harness.context.settings, layers };
    const tools = await harness.context.featureTools(
      { turn, pictures: [], rootIsOurs: true, numbering: { last: 0 } },
      settings,
    );
    const toolCalls = [{ id: 'c1', name: tool, arguments: JSON.stringify(args) }];
    const model = completionHarness(
      [[endEvent('', { finish: 'tool_calls', toolCalls })], [endEvent('Well.')]],
      { tools: [...tools] },
    );
    const { outcome: ending } = await outcomeOf(model.run());
    const result = JSON.stringify(model.requests[1]?.messages.at(-1)?.content);
    return {
      ending,
      result,
      step: model.reply.steps.at(-1),
      offered: tools.map(({ definition }) => definition.name),
    };
  };
  const cards = (): Card[] => [...harness.stage.cards.values()];
  const events = harness.logged;
  return { ...harness, ...toolServers, events, logged, type, press, choose, ask, cards, credentials, dynamo };
}

export type Workspace = ReturnType<typeof workspaceWith>;

/** Adds the tracker with its key, and turns all of its tools on. */
export async function addTracker(place: Workspace, sim: McpSimulator): Promise<void> {
  await place.type(`tools add ${sim.trackerUrl} key name:tracker`);
  await place.call(
    fakeInteraction(
      { kind: 'form', action: { name: 'key.set', args: ['tracker'] }, values: { key: sim.apiKey } },
      { id: 'form', by: { user: ADMIN, workspace: TURN.thread.workspace, roles: [] } },
    ),
  );
  await place.type('tools use tracker all');
  await place.type('tools on tracker for:workspace');
}
