import { COMMAND, commandFaults, setFaults } from '../check/commands.ts';
import { type Json, listOf, stringOf } from '../json.ts';
import { isNamed } from '../options.ts';
import { editApplication, presentApplication } from '../present-application.ts';
import { record } from '../record.ts';
import { RefusalError, refuseFaults } from '../refusal.ts';
import { type Answer, bot, type Call, created, done, ok, type Route, type Routes } from '../route.ts';
import type { SimulatorContext } from '../context.ts';

const GLOBAL = 'global';

const route = (run: (call: Call, scope: string) => Answer): Route =>
  bot(5, 20_000, (call) => run(call, scopeOf(call)));

export const COMMANDS: Routes = {
  'GET /applications/@me': bot(5, 5_000, ({ context }) => ok(presentApplication(context))),
  'PATCH /applications/@me': {
    ...bot(5, 5_000, ({ context }) => ok(presentApplication(context))),
    prepare: ({ context, body }) => editApplication(context, body.json),
  },
  'GET /oauth2/applications/@me': bot(5, 5_000, ({ context }) => ok(presentApplication(context))),
  ...routesOf('/applications/{application_id}/commands'),
  ...routesOf('/applications/{application_id}/guilds/{guild_id}/commands'),
};

function routesOf(base: string): Routes {
  return {
    [`GET ${base}`]: route(({ context, query }, scope) =>
      ok(
        commandsIn(context, scope).map((one) =>
          presentCommand(one, query.get('with_localizations') === 'true'),
        ),
      ),
    ),
    [`PUT ${base}`]: route((call, scope) => ok(overwrite(call, scope))),
    [`POST ${base}`]: route(add),
    [`GET ${base}/{command_id}`]: route(({ context, at }, scope) =>
      ok(findCommand(context, scope, at('command_id'))),
    ),
    [`PATCH ${base}/{command_id}`]: route(({ context, at, body }, scope) => {
      const before = findCommand(context, scope, at('command_id'));
      const after = { ...before, ...body.json };
      refuseFaults(commandFaults(after));
      const rest = commandsIn(context, scope).filter(({ id }) => id !== before['id']);
      record(context, { kind: 'commands', scope, commands: [...rest, after] });
      return ok(after);
    }),
    [`DELETE ${base}/{command_id}`]: route(({ context, at }, scope) => {
      const command = findCommand(context, scope, at('command_id'));
      const commands = commandsIn(context, scope).filter(({ id }) => id !== command['id']);
      record(context, { kind: 'commands', scope, commands });
      return done;
    }),
  };
}

function scopeOf({ context, at }: Call): string {
  if (at('application_id') !== context.identity.applicationId) throw new RefusalError(10002);
  const guild = at('guild_id');
  if (guild === '') return GLOBAL;
  if (context.state.guilds.get(guild)?.installed !== true) throw new RefusalError(50001);
  return guild;
}

const commandsIn = ({ state }: SimulatorContext, scope: string): readonly Json[] =>
  state.commands.get(scope) ?? [];

function findCommand(context: SimulatorContext, scope: string, id: string): Json {
  const command = commandsIn(context, scope).find((one) => one['id'] === id);
  if (!command) throw new RefusalError(10063);
  return command;
}

/** A list has no localizations, unless they are requested. */
function presentCommand(command: Json, localised: boolean): Json {
  if (localised) return command;
  const { name_localizations: _names, description_localizations: _descriptions, ...rest } = command;
  return rest;
}

/** Replaces the whole set. A command with the same type and name keeps its id; the entry point must remain. */
function overwrite({ context, body }: Call, scope: string): Json[] {
  if (!Array.isArray(body.payload))
    refuseFaults([
      { at: [], code: 'LIST_TYPE_CONVERT', message: 'Only iterables may be used in a ListType' },
    ]);
  const definitions = listOf(body.payload);
  refuseFaults([
    ...definitions.flatMap((one, index) => commandFaults(one, [index])),
    ...setFaults(definitions),
  ]);
  const before = commandsIn(context, scope);
  if (before.some(isEntryPoint) && !definitions.some(isEntryPoint)) throw new RefusalError(50240);
  const commands = definitions.map((one) => complete(context, scope, one, before));
  record(context, { kind: 'commands', scope, commands });
  return commands;
}

const isEntryPoint = ({ type }: Json): boolean => type === COMMAND.entryPoint;

function add({ context, body }: Call, scope: string): Answer {
  refuseFaults(commandFaults(body.json));
  const before = commandsIn(context, scope);
  const command = complete(context, scope, body.json, before);
  const rest = before.filter(({ id }) => id !== command['id']);
  refuseFaults(setFaults([...rest, command]));
  record(context, { kind: 'commands', scope, commands: [...rest, command] });
  return rest.length < before.length ? ok(command) : created(command);
}

function complete(context: SimulatorContext, scope: string, command: Json, before: readonly Json[]): Json {
  const type = typeof command['type'] === 'number' ? command['type'] : COMMAND.slash;
  const same = before.find((one) => one['type'] === type && one['name'] === command['name']);
  return {
    default_member_permissions: null,
    nsfw: false,
    ...(scope === GLOBAL ? { integration_types: [0], contexts: null } : { guild_id: scope }),
    description: '',
    ...command,
    type,
    id: stringOf(same?.['id']) || context.ids.next(),
    application_id: context.identity.applicationId,
    version: context.ids.next(),
  };
}

/** The command that Discord creates when Activities are enabled. */
export function entryPoint(context: SimulatorContext): Json {
  return complete(
    context,
    GLOBAL,
    { type: COMMAND.entryPoint, name: 'launch', handler: 2, integration_types: [0, 1] },
    [],
  );
}

/** The command with this name for a person in this guild: the guild's own first. Undefined if there is none. */
export function commandNamed(
  context: SimulatorContext,
  guild: string | undefined,
  type: number,
  name: string,
): Json | undefined {
  const all = [...commandsIn(context, guild ?? ''), ...commandsIn(context, GLOBAL)];
  return all.find((one) => one['type'] === type && isNamed(one, name));
}
