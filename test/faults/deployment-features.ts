import type { Budgets } from '../../shared/billing/index.ts';
import type { SettingValues } from '../../shared/settings/rules/index.ts';
import type { MemoryDynamo } from '../fakes/dynamo.ts';
import type { InfraClients } from '../isolation/system.ts';
import type { FaultySearch } from './faulty-search.ts';

/** Features that are off by default: each adds requests, and so points of a plan. */
export type Features = {
  /** The sources of tools that are on everywhere. */
  readonly tools?: readonly string[] | undefined;
  /** Everybody may schedule, and the sweeper looks for what is due. */
  readonly schedules?: boolean | undefined;
  /** Whether the models can call tools; those of `tools` can. */
  readonly hasTools?: boolean | undefined;
  /** Called for each request that reaches the models, before it is answered. */
  readonly onRequest?: ((memory: MemoryDynamo) => void) | undefined;
  /** Further settings of the deployment. */
  readonly settings?: SettingValues | undefined;
};

/** The settings and sources with which a worker has these features. */
export function featureClients(
  { tools, schedules = false, settings }: Features,
  search: FaultySearch,
): Pick<InfraClients, 'settings' | 'toolSources'> {
  if (!tools && !schedules && !settings) return {};
  const values = { ...settings, ...(tools && { tools }), ...(schedules && { schedules: 'all' as const }) };
  return {
    settings: { layers: { deployment: { values } } },
    ...(tools && { toolSources: (budgets: Budgets) => [search.source(budgets)] }),
  };
}
