/** Values of a single record, and the count of one record. */
import { recordValue } from '../../lib/hosts/terminal/render/records/record-view.ts';
import { date, number, string, unknown } from '../../lib/output/record.ts';
import { titleInSentence } from '../../lib/text/numbers.ts';

describe('the value of a field', () => {
  test.each([
    ['status', string('A.'), 'PARTIALLY_COMPLETE', '◐ partial'],
    ['severity', string('A.'), 'HIGH', '▆ high'],
    ['status', string('A.'), 'SOMETHING_NEW', 'SOMETHING_NEW'],
    ['status', number('A.'), '201', '201'],
    ['action', string('A.'), 'block', 'block'],
    ['created_at', date('A.'), '2026-11-21T12:00:00.000460Z', '2026-11-21T12:00:00Z'],
    ['asr', number('A.'), '27.08', '27.08 %'],
    ['asr', number('A.'), '', ''],
    ['stats', unknown('A.'), 'total: 6\nactive: 5\nfailed: 0', '6 total · 5 active'],
    ['stats', unknown('A.'), 'total: 0\nactive: 0', '0 total'],
    ['tags', unknown('A.'), 'geography: ["Global","Europe"]\nempty: []', 'geography: Global, Europe'],
    ['fields', unknown('A.'), 'kind: {"type":"string","enum":["A","B"]}', 'kind: type: string, enum: A | B'],
    ['fields', unknown('A.'), 'kind: {"a":{"b":{"c":{"d":1}}}}', 'kind: {"a":{"b":{"c":{"d":1}}}}'],
    ['fields', unknown('A.'), 'on: true\nname: x\noff: false', 'on: yes\nname: x\noff: no'],
    ['fields', unknown('A.'), 'kind: {"on":true,"off":[false]}', 'kind: on: yes, off: no'],
    ['fields', unknown('A.'), 'kind: [no JSON]', 'kind: [no JSON]'],
  ])('%s of %j reads well', (name, field, text, wanted) => {
    expect(recordValue(name, field, text)).toBe(wanted);
  });
});

test.each([
  ['Network Channels', '1 network channel'],
  ['Errors of the Red-Team Scan', '1 error of the red-team scan'],
  ['Custom Attacks by Prompt Set', '1 custom attack by prompt set'],
  ['Devices Created', '1 device created'],
  ['Labels Set', '1 label set'],
  ['Attack Categories', '1 attack category'],
])('one record of %s is %s', (title, wanted) => {
  expect(`1 ${titleInSentence(title, 1)}`).toBe(wanted);
});
