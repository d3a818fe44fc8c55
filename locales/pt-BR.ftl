# Brazilian Portuguese: the text of briefs. A line that begins with four spaces continues the one before.

## Lists, and what is not known
list-comma = {", "}
list-and = { $first } e { $last }
date-unknown = data desconhecida

## Sections
appendix = Apêndice { $letter }. { $title }
section-summary = Resumo
section-results = Resultados
section-tpcc = TPC-C
section-limit = Carga em um limite de latência
section-equal-latency = Carga com latência igual
section-fairness = Diferenças nas condições de teste
section-findings = Todas as afirmações
section-differences = Todas as diferenças
section-figures = Outras figuras
section-energy = Potência e energia
section-limits = Gargalo
section-drives = Por drive e por instância
section-preparation = Preparação
section-conclusion = Conclusão
section-marks = Ressalvas
section-method = Como foi medido: definições e fórmulas
section-data = Dados completos
section-server = Servidor
section-disclosure = Divulgação completa

## Columns of tables
column-step = etapa
column-figure = métrica
column-pair = par
column-comparisons = comparações
column-first-better = primeiro melhor
column-second-better = segundo melhor
column-not-distinguishable = não distinguíveis
column-not-ranked = sem classificação

## Conclusion
conclusion-how = Como terminou cada comparação:
conclusion-limits =
    Todo intervalo é o da dispersão entre repetições neste host e nestes drives. Os resultados valem
    para estes drives, com este firmware, neste host e software, sob estas cargas; a seção Divulgação
    completa os lista. Um drive de um modelo não representa todos do seu tipo.

## Figures of power
power-of = potência de { $class }
ops-per-watt-of = ops/s por watt de { $class }
ops-per-watt = ops/s por watt
power-against-throughput = potência de { $class } em função da vazão, por { $axis }
power-over-time = potência sob a vazão{ $at }
power-and-temperature-over-time = potência e temperatura sob a vazão{ $at }
