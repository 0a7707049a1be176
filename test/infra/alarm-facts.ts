import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plain, type Resource, type TemplateView } from './template.ts';

const ALARM = 'AWS::CloudWatch::Alarm';

const text = (value: unknown): string => JSON.stringify(value ?? []);

/**
 * Compares the alarms and the dashboard with the runbook. `linked`: the sections that alarms link; `sections`: those that say when an alarm is serious;
 * `outputs`: the outputs that its commands read; `graphs`: the titles of the dashboard, and `unexplained` those without a row; `hidden`: the alarms whose
 * state the dashboard does not show.
 */
export async function compareWithRunbook(all: TemplateView) {
  const runbook = await readFile(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
  const linked = all.all(ALARM).map(({ Properties }) => {
    const [, section = ''] =
      /docs\/runbook\.md#([a-z-]+)$/u.exec(String(Properties['AlarmDescription'])) ?? [];
    return section;
  });
  const parts = runbook.split('\n## ').filter((part) => part.includes('\n**Serious:** '));
  const sections = parts.map((part) => part.slice(0, part.indexOf('\n')));
  const page = text(all.all('AWS::CloudWatch::Dashboard')).replaceAll('\\', '');
  const graphs = [...page.matchAll(/"title":"([^"]+)"/gu)].map(([, title]) => title);
  const hidden = all.all(ALARM).filter(({ id }) => !page.includes(`"Fn::GetAtt":["${id}","Arn"]`));
  return {
    linked: [...new Set(linked)].toSorted(),
    sections: sections.toSorted(),
    outputs: [...runbook.matchAll(/(?:\$\(|`)out (\w+)/gu)].map(([, output]) => output),
    graphs,
    unexplained: graphs.filter((title) => !runbook.includes(`\n| ${title} `)),
    hidden: hidden.map(({ id }) => plain(id)),
  };
}

/** The alarms that do not notify the topic when they are raised and when they end. */
export const listSilentAlarms = (all: TemplateView, topic: string): readonly Resource[] =>
  all
    .all(ALARM)
    .filter(({ Properties }) =>
      ['AlarmActions', 'OKActions'].some((actions) => !text(Properties[actions]).includes(topic)),
    );
