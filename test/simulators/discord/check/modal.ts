import { isJson, type Json, listOf, numberOf } from '../json.ts';
import type { Fault } from '../refusal.ts';
import { customIdFaults, duplicateFaults, flat, KIND, selectFaults, v2Faults } from './components.ts';
import { fault, lengthFaults, type Path } from './faults.ts';

/** The violations of a modal. */
export function modalFaults(modal: Json, at: Path = []): Fault[] {
  const components = listOf(modal['components']);
  return [
    ...duplicateFaults(components.flatMap(flat), [...at, 'components']),
    ...lengthFaults([...at, 'title'], modal['title'] ?? '', 1, 45),
    ...customIdFaults(modal, at),
    ...lengthFaults([...at, 'components'], components, 1, 5),
    ...components.flatMap((one, index) => labelFaults(one, [...at, 'components', index])),
  ];
}

const LABELLED: readonly number[] = [3, 4, 5, 6, 7, 8, 19, 21, 22, 23];

function labelFaults(component: Json, at: Path): Fault[] {
  if (component['type'] === KIND.text) return v2Faults(component, KIND.text, at);
  const inner = component['type'] === KIND.row ? listOf(component['components'])[0] : component['component'];
  if (!isJson(inner) || !LABELLED.includes(numberOf(inner['type'])))
    return [
      fault(
        [...at, 'component'],
        'UNION_TYPE_CHOICES',
        `Value of field "type" must be one of (${LABELLED.join(', ')}).`,
      ),
    ];
  const here: Path = [...at, 'component'];
  const faults = customIdFaults(inner, here);
  if (component['type'] === KIND.label)
    faults.push(
      ...lengthFaults([...at, 'label'], component['label'] ?? '', 1, 45),
      ...lengthFaults([...at, 'description'], component['description'], 0, 100),
    );
  if (inner['type'] === KIND.input)
    faults.push(
      ...lengthFaults([...here, 'value'], inner['value'], 0, 4_000),
      ...lengthFaults([...here, 'placeholder'], inner['placeholder'], 0, 100),
    );
  return inner['type'] === KIND.select ? [...faults, ...selectFaults(inner, here)] : faults;
}
