import type { Interaction } from '../domain/index.ts';
import type { ChatContext } from '../chat/index.ts';
import { findEnabledTools } from '../settings/rules/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import type { ProposedCall } from '../storage/index.ts';
import { getErrorFacts } from '../utils/index.ts';
import type { ToolsContext } from './context.ts';
import { createCallCard } from './propose-call.ts';
import { requestToolServer, type ServerOutcome } from './request-server.ts';
import { describeOutcome, getToolName } from './server-tools.ts';

export type CallDecision = 'run' | 'cancel';
type DecisionContext = Pick<
  ToolsContext,
  'toolServers' | 'messenger' | 'toolLog' | 'settings' | 'memberRoles' | 'time' | 'log'
> &
  Pick<ChatContext, 'settingsStore'>;
type Decider = { readonly interaction: Interaction; readonly locale: Locale };

/**
 * Runs or cancels a proposed call, for the person who asked. A call is sent at most once: one press claims it, and a claim whose end was not
 * recorded (its worker died) becomes `unknown` when the press is delivered again. Resolves with a sentence for the person; undefined if the card
 * shows the result.
 */
export async function decideCall(
  id: string,
  decision: CallDecision,
  decider: Decider,
  context: DecisionContext,
): Promise<string | undefined> {
  const { interaction, locale } = decider;
  const { calls } = context.toolServers;
  const call = await calls.find(interaction, id);
  if (!call) return localize(locale, 'tools.card.gone');
  if (call.by !== interaction.by.user) return localize(locale, 'tools.card.not-yours');
  if (decision === 'cancel') return cancelCall(call, locale, context);
  if (await calls.claim(call, interaction.id)) {
    await runClaimed({ ...call, state: 'running' }, decider, context);
    return undefined;
  }
  const claimed = await calls.find(interaction, id);
  // Another press: its own handler shows the end. A late write may have shown the buttons again since.
  if (claimed?.claim !== interaction.id) return describeState(claimed, locale);
  if (claimed.state === 'running') await calls.finish(claimed, interaction.id, 'unknown');
  const ended = await calls.find(interaction, id);
  if (!ended) return undefined;
  await showCall(ended, { locale }, context);
  // The earlier delivery may have ended before it did this.
  await logCall(ended, interaction, undefined, context);
  return undefined;
}

/** Says how a call ended, to a person who pressed a button after that. */
const describeState = (call: ProposedCall | undefined, locale: Locale): string =>
  !call || call.state === 'proposed'
    ? localize(locale, 'tools.card.gone')
    : localize(locale, `tools.card.state.${call.state}`, { server: call.server });

async function cancelCall(
  call: ProposedCall,
  locale: Locale,
  context: DecisionContext,
): Promise<string | undefined> {
  const { calls } = context.toolServers;
  const isCancelled = (await calls.cancel(call)) || call.state === 'cancelled';
  if (!isCancelled) return describeState(await calls.find(call.thread, call.id), locale);
  await showCall({ ...call, state: 'cancelled' }, { locale }, context);
  return undefined;
}

async function runClaimed(
  call: ProposedCall,
  { interaction, locale }: Decider,
  context: DecisionContext,
): Promise<void> {
  const { toolServers, time } = context;
  const startedAt = time.now();
  const outcome = await sendCall(call, context);
  const state = stateAfter(outcome);
  if (state === 'proposed') await toolServers.calls.release(call, interaction.id);
  else await toolServers.calls.finish(call, interaction.id, state);
  const cardOptions =
    outcome.kind === 'called'
      ? { locale, result: outcome.text }
      : { locale, failure: describeOutcome(outcome, call.server, locale, call.thread, context) };
  await showCall({ ...call, state }, cardOptions, context);
  await logCall({ ...call, state }, interaction, startedAt, context);
}

/** Adds a call to the log of the workspace, once for each press. A log that cannot be written changes nothing else. */
async function logCall(
  { tool, server: source, by, thread, state }: ProposedCall,
  { receivedAt }: Pick<Interaction, 'receivedAt'>,
  startedAt: number | undefined,
  { time, toolLog, log }: DecisionContext,
): Promise<void> {
  const at = receivedAt ?? time.now();
  const outcome = state === 'done' ? 'done' : 'failed';
  const ms = time.now() - (startedAt ?? at);
  log('tool.called', { name: source, tool: getToolName(source, tool), ms, outcome });
  await toolLog.add(thread, { tool, source, at, by, ms, outcome }).catch((error: unknown) => {
    log('tool.log-failed', { tool, ...getErrorFacts(error) });
  });
}

/** Sends a call once. What fails before that, such as the table or the decryption of a key, is no reason to say that it may have run. */
async function sendCall(call: ProposedCall, context: DecisionContext): Promise<ServerOutcome> {
  try {
    return await sendIfOffered(call, context);
  } catch (error) {
    context.log('tools.send-failed', { name: call.server, ...getErrorFacts(error) });
    return { kind: 'failed', reason: 'unavailable', mayHaveRun: false };
  }
}

async function sendIfOffered(call: ProposedCall, context: DecisionContext): Promise<ServerOutcome> {
  const { signal } = new AbortController();
  const server = await context.toolServers.servers.find(call.thread, call.server);
  // Administrators may have removed it, or turned it off, since.
  const isOffered = server?.tools.some(({ name, use }) => name === call.tool && use === 'ask') === true;
  if (!server || !isOffered) return { kind: 'failed', reason: 'refused', mayHaveRun: false };
  const isOn = await isOnFor(call, context).catch((error: unknown) => {
    context.log('tools.roles-unavailable', getErrorFacts(error));
    return undefined;
  });
  if (isOn !== true)
    return { kind: 'failed', reason: isOn === false ? 'refused' : 'unavailable', mayHaveRun: false };
  const action = { kind: 'call', tool: call.tool, args: call.args } as const;
  return requestToolServer(call.thread, server, action, call.by, context, signal);
}

/** Whether the server is still on for the person in the channel of the call. Rejects if the table or the platform is unavailable. */
async function isOnFor(
  { thread, by, server }: ProposedCall,
  { settingsStore, settings, memberRoles }: DecisionContext,
): Promise<boolean> {
  const stored = await settingsStore.layers({ ...thread, user: by });
  const layers = { ...stored, deployment: settings.layers.deployment };
  return (await findEnabledTools(by, layers, () => memberRoles(thread, by))).includes(server);
}

/** A call that surely did not run returns to the person. One that may have run is never repeated. */
function stateAfter(outcome: ServerOutcome): 'proposed' | 'done' | 'failed' | 'unknown' {
  if (outcome.kind === 'called' && outcome.isRefused) return 'proposed';
  if (outcome.kind === 'called') return outcome.isError ? 'failed' : 'done';
  if (outcome.kind === 'failed') return outcome.mayHaveRun ? 'unknown' : 'proposed';
  return outcome.kind === 'sign-in' ? 'proposed' : 'unknown';
}

async function showCall(
  call: ProposedCall,
  cardOptions: Parameters<typeof createCallCard>[1],
  { messenger, toolServers }: Pick<DecisionContext, 'messenger' | 'toolServers'>,
): Promise<void> {
  const isDestructive = call.state === 'proposed' && (await isDestructiveCall(call, toolServers));
  const card = createCallCard(call, { ...cardOptions, isDestructive });
  await messenger.postCard(call.thread, card, `tool-${call.id}`, call.card);
}

/** Whether the person has to be warned before they press _Run_ again. A tool that is gone, or cannot be read now, counts as destructive: the card is shown all the same. */
async function isDestructiveCall(
  { thread, server: name, tool }: ProposedCall,
  { servers }: DecisionContext['toolServers'],
): Promise<boolean> {
  const server = await servers.find(thread, name).catch(() => undefined);
  return server?.tools.find((one) => one.name === tool)?.isDestructive ?? true;
}
