// Returns the remaining red-team scans by type, for a widget of the dashboard.
var entry = executeCommand('aisec-redteam-metering-quota', {})[0];
if (entry.Type === entryTypes.error) {
  throw entry.Contents;
}
var quota = entry.Contents;
var rows = [];
var kinds = ['static', 'dynamic', 'custom'];
for (var at = 0; at < kinds.length; at += 1) {
  var of = quota[kinds[at]];
  // An unlimited quota has no remaining number.
  if (of && of.unlimited !== true) {
    rows.push({ name: kinds[at], data: [Math.max(0, (of.allocated || 0) - (of.consumed || 0))] });
  }
}
return JSON.stringify(rows);
