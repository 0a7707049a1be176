import type { Budgets } from '../../shared/billing/index.ts';
import type { InfraClients } from '../isolation/system.ts';
import type { FaultySearch } from './faulty-search.ts';

/** Features that are off by default: each adds requests, and so points of a plan. */
export type Features = {
  /** The sources of tools that are on everywhere. */
  readonly tools?: readonly string[] | undefined;
  /** Everybody may schedule, and the sweeper looks for what is due. */
  readonly schedules?: boolean | undefined;
};

/** The settings and sources with which a worker has these features. */
export function featureClients(
  { tools, schedules = false }: Features,
  search: FaultySearch,
): Pick<InfraClients, 'settings' | 'toolSources'> {
  if (!tools && !schedules) return {};
  const values = { ...(tools && { tools }), ...(schedules && { schedules: 'all' as const }) };
  return {
    settings: { layers: { deployment: { values } } },
    ...(tools && { toolSources: (budgets: Budgets) => [search.source(budgets)] }),
  };
}
