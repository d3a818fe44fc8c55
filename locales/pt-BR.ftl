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
section-multiple = Maior múltiplo da carga
section-equal-latency = Carga com latência igual
section-fairness = Diferenças nas condições de teste
section-findings = Todas as afirmações
section-differences = Todas as diferenças
section-figures = Outras figuras
section-energy = Potência e energia
section-limits = Gargalo
section-outliers = Valores extremos
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

## Numbers
given-up = {" "}({ $count } abandonadas)
range = { $low } a { $high }
maximum = máximo
at-least = pelo menos { $difference }
per-op = { $energy } por op

## Metrics
mean = média
latency = latência { $figure }
latency-of = latência { $figure } de { $class }
response-time = tempo de resposta { $figure }
response-time-of = tempo de resposta { $figure } de { $class }
ops-per-watt-by = ops/s por watt ({ $class }, { $kind })
mb-per-watt-by = MB/s por watt ({ $class }, { $kind })
energy-per-op-by = energia por op ({ $class }, { $kind })
new-orders-per-minute = New-Orders por minuto

## Axes, and places on them
axis-threads = threads
axis-depth = profundidade de fila
axis-asked-ops = ops/s solicitadas
axis-asked-rate = taxa solicitada
axis-load = carga
axis-block = bloco
axis-instances = instâncias
at-one-thread = {" "}com 1 thread
at-threads = {" "}com { $values } threads
at-depth = {" "}com profundidade de fila { $values }
at-ops-asked = {" "}a { $values } ops/s solicitadas
at-rate-asked = {" "}a { $values } solicitados
at-load = {" "}com carga de { $values }
at-one-instance = {" "}com 1 instância
at-instances = {" "}com { $values } instâncias
at-blocks = {" "}com blocos de { $values }
at-every-thread-count = {" "}em todo número de threads ({ $low } a { $high })
at-every-depth = {" "}em toda profundidade de fila ({ $low } a { $high })
at-every-rate = {" "}em toda taxa ({ $low } a { $high })
at-every-load = {" "}em toda carga ({ $low } a { $high })
at-every-instance-count = {" "}em todo número de instâncias ({ $low } a { $high })
at-every-block-size = {" "}em todo tamanho de bloco ({ $low } a { $high })
at-equal-load-of = {" "}com carga igual de { $load } ops/s
at-equal-p99-of = {" "}com p99 igual de { $latency }
within-the-latency-limit = {" "}dentro do limite de latência
on-average-over = {" "}em média sobre { $count } pontos
on-average-over-loads = {" "}em média sobre { $count } cargas iguais

## Claims
difference-footnote =
    Diferença: o objeto melhor, por quanto, e o intervalo simultâneo de 95 %; um ganho (superior ÷
    inferior − 1) onde maior é melhor, uma redução (1 − novo ÷ antigo) para latências. ▲ demonstrado,
    ≥ um limite inferior (o objeto melhor não foi limitado pelo seu drive), ≈ não distinguível,
    ‡ sem classificação: o objeto pior não foi limitado pelo seu drive. Todos os intervalos de um relatório
    valem juntos com probabilidade de 95 %.
claim-more = { $better } entrega { $by } mais { $what } que { $worse }{ $at }
claim-lower = { $better } tem { $what } { $by } menor que { $worse }{ $at }
claim-less = { $better } usa { $by } menos { $what } que { $worse }{ $at }
claims-more = { $better } entrega { $rivals }{ $at }
claims-lower = { $better } tem { $rivals }{ $at }
claims-less = { $better } usa { $rivals }{ $at }
rival-more-of = { $by } mais { $what } que { $worse }
rival-lower-of = { $what } { $by } menor que { $worse }
rival-less-of = { $by } menos { $what } que { $worse }
rival-more = { $by } mais que { $worse }
rival-lower = { $by } menor que { $worse }
rival-less = { $by } menos que { $worse }
varied = { $path } { $value }, contra { $other }
with-knob = { $subject } com { $knob }
claim-family = { $repeats } repetições; intervalo simultâneo sobre { $comparisons } comparações
claim-largest-of = o maior de { $points } pontos que o demonstram
claim-untested = janelas de { $window }, curtas demais para testar deriva
claim-no-drive = { $better } não chegou a nenhum drive
claim-host-limited = { $better } foi limitado pelo host, portanto seu drive poderia mostrar mais
calculation-less = { $calculation }, { $difference } a menos
of-step = { $step }: { $sentence }
full-stop = { $sentence }.
crossed-lower = { $before } tem menor { $what } até { $until }, { $after } a partir de { $from }
crossed-higher =
    { $before } tem maior { $what } até { $until }, { $after } a partir de { $from }
differs = { $what } difere, { $values }
not-comparable = { $other } e { $first } não são comparáveis: { $differences }.
not-comparable-in =
    { $other } e { $first } não são comparáveis em { $step }: { $differences } (se essa é a pergunta,
    indique-a: --vary).

## What a claim is of
on-one-device = em um único dispositivo
of-these-two-drives = destes dois drives
of-two-drives = de dois drives, { $first } e { $other }
drives-each = { $count } drives cada
drives-of-two = { $first } e { $other } drives
of-these-drives = destes drives

## Bottlenecks
evidence-and-remedy = { $evidence }. Para medir o drive: { $remedy }
limit-drive = drive
limit-cpu = CPU do host
limit-memory = memória
limit-no-drive = sem drive
limit-neighbour = vizinho
limit-generator = gerador
limit-standstill = parada do Dyno
limit-rate = taxa solicitada
limit-thermal = limitação térmica
limit-locks = travas
limit-undecided = indefinido

## Caveats
caveat-not-measured = não medido
caveat-failed = { $count ->
        [one] { $count } repetição falhou
       *[other] { $count } repetições falharam
    }
caveat-not-steady = o drive não havia atingido o estado estacionário
caveat-drifted = ops/s derivou { $change } ao longo da janela
caveat-missed-rate = atingiu { $share } da taxa solicitada
caveat-stream-missed-rate = o fluxo { $stream } atingiu { $share } da taxa solicitada
caveat-late = { $share } das suas requisições foram submetidas com atraso
caveat-few-repeats = { $count ->
        [one] medido uma vez: repita (`--repeats 5`) antes de comparar
       *[other] medido { $count } vezes: repita (`--repeats 5`) antes de comparar
    }
caveat-every-point-few-repeats = { $count ->
        [one] Cada ponto foi medido uma vez: repita (`--repeats 5`) antes de comparar
       *[other] Cada ponto foi medido { $count } vezes: repita (`--repeats 5`) antes de comparar
    }
caveat-not-the-drive = limitado por { $limit }, não pelo drive: { $why }
caveat-no-drive = nenhum drive foi medido: { $why }
caveat-of = { $places }, { $subject }: { $caveat }

## Notes
notes = Notas
note-moved-ops = a repetição { $repeat } correu a { $factor } × para { $subjects ->
        [2] os dois objetos
       *[other] todos os { $subjects } objetos
    }; os níveis ficam menos precisos por isso, as razões dentro das repetições não
note-moved-p99 = a repetição { $repeat } teve p99 de { $factor } × para { $subjects ->
        [2] os dois objetos
       *[other] todos os { $subjects } objetos
    }; os níveis ficam menos precisos por isso, as razões dentro das repetições não
note-apart =
    { $place }, { $subject }: o drive { $drive } destoa dos seus { $others } iguais: { $ops } contra
    { $usual } ops/s
drives-and-repeats =
    { $drives }, com dispersão de { $by } entre drives e de { $repeats } entre repetições
drives-scatter = { $drives }, com dispersão de { $by } entre drives
note-models =
    drive por drive, { $better } entrega { $by } mais ops/s que { $worse }, { $drives }; o intervalo
    trata os drives como efeito aleatório e é próprio, não da família
note-models-open =
    drive por drive, { $first } e { $other } não se distinguem em ops/s: { $by }, { $drives }; o intervalo
    trata os drives como efeito aleatório e é próprio, não da família

## The first page
nor = , nem{" "}
and-undecided = { $sentence }; { $pairs } não se distinguem ali
two-sentences = { $first } { $second }
changes-more-times = { $count ->
        [one] { $sentence } O melhor muda mais { $count } vez.
       *[other] { $sentence } O melhor muda mais { $count } vezes.
    }
open-not-limited =
    { $first } e { $other } não podem ser classificados por { $what }, que os drives não limitaram.
open-too-few =
    { $first } e { $other } não se distinguem por { $what }: { $repeats } repetições são poucas para
    decidir.
open-difference =
    { $first } e { $other } não se distinguem por { $what }; a diferença é { $difference }.
no-rank-alone =
    Nenhum drive pode ser classificado aqui, porque um único objeto foi medido: meça-o ao lado de outro
    (dois `--subject`).
level = { $step }: { $subject }, { $figure }{ $at }.
conditions-published =
    Como publicado, sem repetições: nas condições que a fonte declara, que o Dyno não viu.
conditions-imported = Como importado: nas condições que a fonte declara, que o Dyno não viu.
measured-times = { $count ->
        [one] Medido uma vez
       *[other] Medido { $count } vezes
    }
window-a-point = { $window } por ponto
kernel = kernel { $release }
brackets-are-intervals =
    as faixas entre colchetes são intervalos de 95 % que valem juntos para todo o relatório
no-rank-none-measured =
    Nenhum drive pode ser classificado aqui, porque nenhum ponto foi medido até o fim; a seção Ressalvas
    tem as causas.
no-rank-few-repeats =
    Nenhum drive pode ser classificado aqui, porque cada ponto foi medido menos de três vezes: repita
    (`--repeats 5`) antes de comparar.
no-rank-barred = Nenhum drive pode ser classificado aqui, porque { $reason }
no-rank-not-comparable-in =
    Nenhum drive pode ser classificado aqui, porque não há dois objetos comparáveis em { $metrics }.
no-rank-not-comparable =
    Nenhum drive pode ser classificado aqui, porque não há dois objetos comparáveis em nenhum ponto;
    a seção Ressalvas tem as causas.
no-rank-chance =
    Nenhum drive pode ser classificado aqui, porque nenhuma diferença é maior do que o acaso permite;
    mais repetições estreitam os intervalos (`--repeats 10`).
see-bottleneck = “Gargalo” diz o que mudar
no-rank-not-limited-all =
    Nenhum drive pode ser classificado aqui, porque { $count } de { $points } pontos não foram limitados
    pelo drive, mas por { $limit }: { $change }.
no-rank-not-limited-most =
    Nenhum drive pode ser classificado aqui, porque { $count } de { $points } pontos não foram limitados
    pelo drive ({ $most } por { $limit }): { $change }.
no-rank-no-drive-all =
    Nenhum drive pode ser classificado aqui, porque { $count } de { $points } pontos não chegaram a nenhum
    drive: { $change }.
no-rank-no-drive-most =
    Nenhum drive pode ser classificado aqui, porque { $count } de { $points } pontos não foram limitados
    pelo drive ({ $most } não chegaram a nenhum drive): { $change }.

## Imported figures
published-no-rank =
    Nenhum drive pode ser classificado aqui, porque estes números foram publicados sem repetições e
    nada se sabe da sua dispersão: importe cada repetição, ou meça os drives (`--repeats 5`).

## What a step's figures come to
none-compared-here = Não foi possível comparar dois objetos aqui.
knee-at = a { $load } ops/s com p99 de { $p99 } ({ $subject })
knees = O joelho da curva fica { $knees }.
p99-from-to = de { $low } a { $from } até { $high } a { $to } ({ $subject })
p99-moves = O p99 vai { $moves }.
ops-and-p99-change = ops/s mudam { $ops } e p99 { $p99 } ({ $subject })
ops-and-p99 = { $ops } e { $p99 } ({ $subject })
from-to-threads = De { $from } a { $to } threads, { $changes }.
from-to-instances = De { $from } a { $to } instâncias, { $changes }.
from-to = De { $from } a { $to }, { $changes }.
drive-limited = O drive limitou { $drive } de { $points } pontos.
drive-limited-otherwise =
    O drive limitou { $drive } de { $points } pontos; no resto, { $others }.
between-sentences = {" "}

## Bottlenecks, in their section
see-bottleneck-marks = † Não limitado pelo drive: ver “Gargalo”.
see-caveats-marks = † Não limitado pelo drive: ver “Ressalvas”.
bottleneck-how =
    Do que o kernel contou de processadores, dispositivos e processos do próprio Dyno em cada janela,
    e das requisições que o Dyno tinha em andamento. Um ponto conta como do drive onde pelo menos metade
    das requisições da própria carga estava no dispositivo, ou onde seus workers esperavam por uma
    que estava; o tempo em flushes conta como do dispositivo.
bottleneck-sum =
    O drive limitou { $drive } de { $points } pontos. { $others } foram limitados por outra coisa e
    estão marcados com { $mark }: não classificam drives.
bottleneck-rest = O resto correu à taxa solicitada, ou está indefinido.

## Outliers
outliers-how =
    As 1.000 requisições mais lentas de cada ponto, por tempo de resposta, e no máximo uma em cem. As
    parcelas são da soma dos seus tempos de resposta. Drive: a requisição estava com o kernel, e no
    máximo um quinto do seu tempo pode ter sido espera por um processador. Host: pelo menos metade foi,
    ou o Dyno inteiro esteve parado. Todo o resto é desconhecido, e não é culpa de drive algum.
    docs/outliers.md tem a regra e os seus limites.
outliers-line =
    { $place }: as { $count } mais lentas, de { $least } a { $most }: drive { $drive }, host { $host },
    desconhecido { $unknown }
outlier =
    { $place }, repetição { $repeat } em { $seconds }: { $latency } para { $class } de { $size } em
    { $address } ({ $stream }, drive { $drive }, worker { $worker }, profundidade de fila { $depth }):
    { $cause }, { $reason }
outlier-beside = { $outlier }; enquanto isso { $beside }
column-outliers = valores extremos
column-from-latency = a partir de
column-mostly-unknown = desconhecido sobretudo porque
cause-drive = drive
cause-host = host
cause-unknown = desconhecido
reason-at-drive = o worker não esperou por mais nada
reason-waited = o worker esperou por um processador
reason-stopped = o Dyno esteve parado
reason-behind = na fila atrás de outra
reason-not-at-device = o dispositivo não tinha requisição
reason-other-drives = outros drives pararam junto
reason-not-direct = sem I/O direto
reason-both = host e drive podem ter tido parte
reason-not-watched = não observado
beside-waited = pelo menos { $time } sem processador
beside-switches = { $count } trocas de contexto
beside-steal = até { $time } de steal
beside-stalled = { $time } sem conclusão pelo dispositivo
beside-idle = { $time } sem requisição no dispositivo
beside-throttled = throttling térmico
beside-health-read = leitura do log de saúde
beside-interrupts = { $rate } interrupções
beside-processor = processador mais ocupado { $busy }

## Multiples of a load
multiple-found = { $subject } mantém { $multiple } a carga [{ $low } a { $high }], { $repeats ->
        [one] encontrado uma vez
       *[other] encontrado { $repeats } vezes
    }.
multiple-at-least = { $subject } mantém pelo menos { $multiple } a carga: nada do que foi tentado falhou.
multiple-holds =
    Um múltiplo é mantido onde no máximo { $share } das requisições de { $stream } levam mais que
    { $limit } e a carga não se atrasa em relação à sua agenda. A tabela tem a parcela de requisições
    que levaram cada tempo ou mais.
multiple-how =
    O maior múltiplo mantido por todas as etapas, abaixo do menor que não é: média geométrica sobre as
    repetições. O intervalo é o das repetições (95 %, a partir de três), e vai pelo menos do que foi
    mantido ao que não foi.
column-time = tempo
column-holds = veredito
time-response = resposta
time-service = serviço
holds = mantido
does-not-hold = não mantido

## More columns of tables
column-subject = objeto
column-limited-by = limitado por
column-because = porque
column-at = em
column-repeat = repetição
column-cause = causa
column-stream = fluxo
column-asked = solicitado
column-achieved = atingido
column-share = proporção
column-late = atrasadas
column-max-backlog = fila máxima
column-backlog-at-end = fila no fim
column-what = o quê
column-values = valores
column-class = classe
column-repeats = repetições
column-max = máx.
column-min = mín.
column-median = mediana
column-least = menor
column-most = maior
column-with = com
column-difference = diferença
column-drive = drive
column-drives = drives
column-instances = instâncias
column-ops-sum = ops/s, soma
column-p99-merged = p99, combinado
column-p99-pooled = p99, agrupado
column-mean-of-p99s = média dos p99
column-power-of = potência de
column-energy = energia
column-idle = ocioso
column-knee-ops = joelho, ops/s
column-knee-p99 = joelho, p99
column-load-at-equal-p99 = carga com p99 igual
column-p99-at-equal-load = p99 com carga igual, média
column-most-within = maior { $axis } com { $percentile } de { $stream } ≤ { $limit }
column-first-beyond = primeiro que não cumpre
column-done = feito
column-verdict = veredito
column-rounds = rodadas
column-window = janela
column-excursion = excursão
column-allowed = permitido
column-slope = inclinação
column-transaction = transação
column-number = número
column-rolled-back = revertidas
column-slowest = mais lenta
column-limit-90 = limite para 90 %
column-calculation = cálculo
column-result = resultado
column-other-formula = outra fórmula

## Caveats, in their section
caveats-points = Pontos com ressalva
caveats-support-no-claim = Seus números são mostrados; não sustentam nenhuma afirmação.
caveats-wider = Mais largos que o pedido
caveats-failed = Pontos que falharam
caveats-failed-note = Não entram em nenhuma estimativa.
caveats-oddities = Estouros e leituras sem resultado
caveats-none =
    Nenhuma ressalva: nenhum ponto falhou, derivou ou deixou de atingir a taxa solicitada, e nenhuma
    latência estourou.
caveats-asked = Solicitado e atingido
caveat-wider =
    { $place }, { $subject }: ±{ $half } após { $repeats } repetições; pediu-se ±{ $asked }
rates-kept =
    { $count } fluxos de pontos mantiveram sua taxa dentro de 2 % e submeteram menos de 1 % dela com
    atraso.
other-rates-kept =
    Os outros { $count } fluxos de pontos mantiveram sua taxa dentro de 2 % e submeteram menos de 1
    % dela com atraso.
oddity-overflow = { $count } latências acima de uma hora
oddity-given-up =
    { $count } transações ({ $share }) revertidas pelo servidor repetidas vezes e abandonadas: fora
    da taxa
oddity-misses = { $count } leituras ({ $share }) não encontraram a chave

## Conditions, data, disclosure
nothing-differs = Nada do que se sabe dos objetos difere além dos drives.
grade-disqualifying = desqualificante
grade-confounder = possível fator de confusão
grade-harmless = inofensivo
data-how =
    Cada fluxo e classe. Fluxos em cinza correram ao lado dos medidos e não contam no destaque. Latências
    são tempos de serviço, ou tempos de resposta (marcados r) onde se pediu uma taxa. “–” significa
    não medido: menos de 100 amostras ficaram acima desse percentil.
runs = Execuções
run = { $repeats ->
        [one] { $when }, dyno { $version }, { $repeats } repetição
       *[other] { $when }, dyno { $version }, { $repeats } repetições
    }
run-header = { $repeats ->
        [one] { $file } · { $when } · { $repeats } repetição · dyno { $version }
       *[other] { $file } · { $when } · { $repeats } repetições · dyno { $version }
    }
resolved-plan = Plano resolvido de { $file }
server-hardware = Hardware do servidor
server-software = Software do servidor

## Drives and instances
drives-aggregation =
    De vários drives: ops/s são a sua soma, percentis os dos histogramas combinados (não uma média
    de percentis); mín., mediana e máx. são sobre os drives individuais.
drives-pooled =
    De várias instâncias: o p99 agrupado é o dos histogramas combinados, de todas as suas transações
    juntas; ao lado, a média dos p99 das próprias instâncias, como a imprimem análises de várias máquinas
    virtuais. Respondem a perguntas diferentes.
instance-by-instance = Por instância: { $step }

## Power
energy-how =
    A potência é a do que a terceira coluna nomeia, como o seu instrumento a mostra; classes nunca
    são comparadas. A energia é o trapézio sobre os tempos das próprias leituras, sobre a janela medida
    com o atraso com que o instrumento mostra a carga: o atraso, de até { $seconds } s, com o qual
    suas leituras melhor seguem as ops/s, o mesmo para todos os pontos de um instrumento. Não é dada
    onde as leituras deixam de fora mais de 1 % da janela. A potência ociosa não é subtraída.
meter-late = { $meter }: mostra a carga com { $late } de atraso, o que é corrigido.
meter-unknown-delay = { $meter }: não segue a carga de perto o bastante para saber se atrasa.
meter-too-little =
    { $meter }, { $step } { $at }: as leituras cobrem { $covered } da janela, pouco demais para a energia.
power-meters = Medidores de potência

## Load at equal latency, and at a limit
equal-load-how =
    O joelho é o ponto medido que fica mais abaixo da reta entre as pontas da curva, com ambos os eixos
    na mesma escala; nenhum onde ela cede menos de um décimo. Cargas com p99 igual (o do joelho do
    primeiro objeto) e p99 com carga igual (sobre as cargas que todas as curvas têm em comum) são lidas
    nas retas entre pontos medidos, repetição por repetição, e comparadas com o primeiro objeto como
    qualquer outra métrica.
limit-how =
    Dos valores da varredura foram medidos os que a bissecção da faixa duvidosa pediu. Um valor cumpre
    onde o percentil, sobre todas as repetições, está dentro do limite; valores acima de um que não
    cumpriu não são vistos.
row-at-load = a { $load } ops/s
row-at-p99 = com p99 de { $latency }
row-within-limit = dentro do limite

## All claims
findings-how =
    Só se afirma onde o intervalo simultâneo de 95 % exclui “nenhuma diferença”: a probabilidade de
    que alguma afirmação deste relatório seja falsa é de no máximo 5 %. De vários pontos que mostram
    o mesmo, nomeia-se o de limite inferior mais forte. Os números são arredondados para a afirmação
    mais fraca. Pontos com ressalva não sustentam nenhuma.
caveats-noted = Ressalvas anotadas: { $count }; a seção Ressalvas as lista.
claims-for = Afirmações a favor de { $subject }
claims-none = Nenhuma.
claims-weaker = { $count } mais fracas estão nas tabelas das etapas.
claim-with-basis = { $claim } ({ $basis }).
caveats-of-claims = Ressalvas (estes pontos não sustentam afirmação, ou apenas um limite)

## Preparation
not-steady-warning =
    { $drive } não chegou ao estado estacionário em { $rounds } rodadas. Seus pontos foram medidos
    mesmo assim, e podem dizer mais sobre onde a preparação parou do que sobre o drive.
steady = estacionário
not-steady = NÃO estacionário

## Results
differences-as-published =
    Diferenças: como publicado, sem repetições; o objeto superior, e por quanto. Aritmética, e nenhuma
    afirmação.
swept-along = varredura de { $axis }
open-loop = malha aberta
closed-loop = malha fechada
window-unknown = duração da janela desconhecida
window-too-short = { $window } por ponto, curto demais para testar deriva
percentiles-response = percentis são tempos de resposta de { $class }
percentiles-service = percentis são tempos de serviço de { $class }
summed-over-drives = ops/s somadas e histogramas combinados sobre os drives
summed-over-instances = ops/s somadas e histogramas combinados sobre as instâncias
summed-over-drives-and-instances =
    ops/s somadas e histogramas combinados sobre drives e instâncias

## Summary
summary-how =
    ▲ melhor que todos os outros objetos, por uma afirmação. † não limitado pelo drive. Diferença:
    o objeto melhor, por quanto, e seu intervalo.
summary-how-published =
    Como publicado, sem repetições: nada se afirma, e nenhum é marcado como melhor.
mean-of-equal-loads = , média de cargas iguais
mean-of-points = , média de { $count } pontos
at-equal-latency = {" "}com latência igual
within-the-limit = {" "}dentro do limite

## TPC-C
tpcc-limits =
    Limites: 90 % de cada tipo devem ser respondidos nesse tempo (cláusula 5.2.5.3), e 90 % das Deliveries
    adiadas devem correr em até 80 s após entrar na fila (cláusula 2.7.2.2). Os tempos são de resposta
    onde os terminais digitam e pensam, contados desde o envio do terminal; um limite conta como cumprido
    onde o p95 ou a mais lenta de todas fica dentro dele. Proporções mínimas (cláusula 5.2.3): Payment
    43 %, Order-Status, Delivery e Stock-Level 4 % cada.
tpcc-deviations =
    New-Orders por minuto não são tpmC: este não é um resultado auditado nem comparável com os publicados.
    Desvios da especificação: não se declaram chaves estrangeiras; as transações correm no nível de
    isolamento próprio do servidor (MariaDB e MySQL: repeatable read, PostgreSQL e SQL Server: read
    committed), com linhas travadas antes de escritas; uma Delivery adiada espera pela conexão do seu
    terminal e é registrada nas latências em vez de um arquivo de resultado; as entradas são feitas
    pelo driver, não há telas; checkpoints, durabilidade e armazenamento de 180 dias não são testados;
    sem tempos de digitação e de pensar (no-wait) cada transação toma um terminal sorteado de novo.
    New-Orders revertidas ficam fora das New-Orders por minuto.
subject-times = { $subject } ({ $count } vezes)
tpcc-conditions-kept =
    { $step }: todas as doze condições da cláusula 3.3.2 foram cumpridas em { $subjects };
    a verificação mais longa levou { $time }.
new-orders = { $rate } New-Orders por minuto
kept-by-all = cumprido por todas
kept = cumprido
p95-above = p95 acima dele
committed = , confirmadas.

## Method
procedure = Procedimento
procedure-of = { $title } ({ $protocol }). Fonte: { $source }
step-named = Etapa { $step }
step-windows = { $warmup } de aquecimento, não contados, depois { $window } medidos.
service-time = Tempo de serviço
response-time-term = Tempo de resposta
percentiles = Percentis
several-drives = Vários drives ou instâncias
method-ops =
    Ops concluídas dentro da janela medida divididas pela sua duração, somadas sobre os drives e instâncias
    do objeto e sobre os fluxos que contam no destaque.
method-mb =
    Bytes que essas ops moveram, em unidades de 1.000.000 de bytes, divididos pela janela.
method-service-time =
    Da entrega da requisição ao motor até a sua conclusão, por um único relógio monotônico.
method-response-time =
    Onde se pediu uma taxa: do momento em que a requisição era devida até a sua conclusão, de modo
    que esperar atrás de uma requisição lenta é contado. Uma requisição atrasada conta como atrasada
    e nunca é descartada.
method-percentiles =
    De histogramas com erro relativo de no máximo 0,1 %, combinados sobre workers, drives e instâncias,
    nunca sobre classes. A latência que a dada proporção das ops não excedeu. Mostrada só onde pelo
    menos { $samples } amostras ficam acima dela.
method-several-drives =
    Ops e bytes são somados. Percentis são os dos histogramas combinados: nunca uma média de percentis.
    De várias repetições cada uma tem o seu número, e mostra-se a média geométrica destes.
interval = Intervalo (±)
gain = Ganho
reduction = Redução
comparison = Comparação
one-family = Uma família
lower-bound = Limite inferior (≥)
rounding = Arredondamento
self-test = Autoteste
difference = Diferença
method-interval =
    Metade da largura do intervalo de confiança de 95 % de um nível: t de Student sobre os logaritmos
    de três ou mais repetições. Com uma ou duas repetições não há intervalo, apenas o menor e o maior.
method-gain =
    Superior ÷ inferior − 1. Usado onde maior é melhor: 1,5 vez mais é um ganho de 50 %.
method-reduction =
    1 − novo ÷ antigo. Usado para latências: metade do tempo é uma redução de 50 %.
method-comparison =
    A razão das médias geométricas sobre as repetições, de um modelo de logaritmos com a repetição
    como bloco e o lugar na ordem de medição como fator. As variâncias dos pontos são moderadas (Smyth
    2004).
method-one-family =
    Todas as comparações deste relatório, sobre todas as etapas, objetos, métricas e pontos, partilham
    uma única chance de 5 % de que algum intervalo não contenha o valor verdadeiro: 4 % para pontos
    individuais, 1 % para médias de etapa (Bonferroni). Decisão e intervalo são a mesma coisa.
method-lower-bound =
    O objeto melhor não foi limitado pelo seu drive, o outro foi pelo seu: a diferença é pelo menos o
    extremo inferior do intervalo.
method-rounding =
    Para a afirmação mais fraca, até dois dígitos da meia largura do intervalo; os extremos dos intervalos
    são arredondados para fora.
method-caveats =
    Pontos que falharam em uma repetição, ficaram 2 % ou mais abaixo da taxa solicitada, submeteram
    com atraso 1 % ou mais das requisições de uma malha aberta, estão em um drive que devia ser preparado
    até o estado estacionário e não foi, ou derivaram em alguma repetição (ver docs/claims.md) não
    sustentam nenhuma afirmação.

## Imported figures, in tables
published-how =
    Como publicado, sem repetições: o que os números dão por aritmética. Nada se sabe da sua dispersão,
    portanto nada se afirma a partir deles.
published-finding =
    { $place }, { $what } de { $subject } e { $rival }: { $calculation } = { $result }, como publicado.
published-row =
    { $step }, { $figure } em { $at }, { $subject } com { $rival }: { $calculation } = { $result }
    ({ $other })
formula-gain = ganho
formula-reduction = redução
formula-factor = fator

## Specification
specification = Especificação
stated-not-measured =
    Como declarado pelos fabricantes ou pelas fontes indicadas; nada nesta tabela foi medido.
for-the-money = Pelo preço
for-the-money-how =
    A métrica com que cada etapa abre, dividida pelo preço acima. Preços não são medidos e mudam de
    um dia para o outro; nenhuma diferença entre estes quocientes é afirmada. Números que o drive não
    limitou ficam de fora.
price-of = { $subject }: preço de { $date } segundo { $source }
spec-capacity = capacidade
spec-form-factor = formato
spec-interface = interface
spec-endurance = durabilidade
spec-warranty = garantia
spec-price = preço
verdict = Veredito

## The byline
measured-with = { $when } · medido com Dyno { $version }
imported-into = { $when } · importado no Dyno { $version }
own-protocol = { $measured } · um protocolo do próprio Dyno
after-source = { $measured } · segundo { $source }

## Screens
streams-in-brackets = (entre parênteses: fluxos que não contam no destaque)
limited-by = { $place }: { $limit }; { $evidence }
stream-reached-and-late =
    { $place }: fluxo { $stream }: atingiu { $reached } da taxa solicitada; { $late } das suas requisições
    foram submetidas com atraso; fila máxima { $backlog }
stream-late =
    { $place }: fluxo { $stream }: { $late } das suas requisições foram submetidas com atraso; fila
    máxima { $backlog }
failed-point = { $subject }, { $step } { $at } repetição { $repeat }: { $cause }
failed-points = Pontos que falharam ({ $count }), em nenhuma estimativa
axis-rates = múltiplo das taxas
at-rates = {" "}a { $values } as taxas
at-every-multiple = {" "}em todo múltiplo das taxas ({ $low } a { $high })

## Pages
page-skip = Ir para o conteúdo
page-sections = Seções
page-footer =
    Feito pelo Dyno { $version } a partir de histogramas e intervalos brutos. Todo número aqui pode
    ser refeito a partir do bundle.
page-of = { $page } de { $pages }
rows-elsewhere = { $rows } linhas, que as formas HTML e Markdown contêm, e `dyno export`.
lines-elsewhere =
    { $title }: { $lines } linhas, que as formas HTML e Markdown e o bundle contêm.


## Bottlenecks, their evidence, and what to change (src/stats)
verdict-clauses = { $first }; { $second }
verdict-processors-busy = processadores { $busy } ocupados
verdict-processors-others = processadores { $busy } ocupados, { $others } com outros processos
verdict-few-at-device = apenas { $share } das requisições da carga estavam no dispositivo
verdict-hypervisor = o hipervisor cedeu { $stolen } a outros
remedy-own-machine = uma máquina dedicada, ou processadores virtuais que ninguém compartilha
remedy-end-others = encerrar o que mais é executado neste host e medir de novo
verdict-stood-still = o próprio Dyno ficou parado por { $still } de { $window }
remedy-stood-still =
    medir de novo onde nada pare o Dyno: sem suspensão, sem depurador, sem máquina virtual com recursos
    sobrealocados
verdict-tmpfs = a pasta do alvo está na memória (tmpfs): não há drive sob ela
remedy-tmpfs = indicar uma pasta no sistema de arquivos do drive, ou o próprio dispositivo
verdict-no-data = o mecanismo não guarda dados: nenhuma requisição chega a um drive
remedy-no-data = um mecanismo que armazene dados
verdict-from-memory = pelo menos { $share } das leituras foram atendidas pela memória
verdict-left-in-memory =
    { $share } dos bytes escritos não haviam chegado ao dispositivo no final
remedy-longer-window = uma janela tão longa que a memória esteja cheia antes que ela comece
remedy-direct-or-longer-window =
    `direct = true`, ou uma janela tão longa que a memória esteja cheia antes que ela comece
remedy-dataset-beyond-memory = um conjunto de dados maior que a memória
remedy-dataset-of = um conjunto de dados de { $size }
remedy-direct-or = `direct = true`, ou { $other }
remedy-smaller-cache = um cache menor do próprio mecanismo, ou um conjunto de dados maior
remedy-dataset-fits =
    o conjunto de dados, { $dataset }, cabe em { $memory } de memória: { $how }
verdict-neighbour =
    { $share } do tempo do dispositivo foi gasto com requisições de outros, que leram { $read } e escreveram
    { $written }
remedy-neighbour =
    encerrar o que mais usa o drive (`iotop -o` mostra o quê), ou medir um drive que nada mais use
verdict-late = pelo menos { $share } das operações foram entregues com atraso pelo próprio Dyno
verdict-late-p99 =
    pelo menos { $share } das operações foram entregues com atraso pelo próprio Dyno, e o p99 do tempo
    de resposta é { $ratio } vezes o do tempo de serviço
remedy-late = mais workers para a taxa, uma taxa menor, ou processadores que nada mais use
verdict-rate-reached = { $share } da taxa solicitada foi atingida
verdict-throttled = o drive limitou a si mesmo durante { $share } da janela
verdict-thinks =
    { $share } de suas requisições estavam em andamento; entre elas há tempos de digitação e de reflexão
verdict-too-few-made =
    apenas { $share } das requisições que pode ter em andamento estavam: o Dyno não gera mais
remedy-too-few-made = mais threads com menos profundidade cada, ou requisições maiores
verdict-no-device = nenhum dispositivo visto
verdict-at-device =
    as requisições da própria carga estavam no dispositivo durante { $window } da janela, { $requests }
    das que pode ter em andamento
verdict-at-device-flushing =
    as requisições da própria carga estavam no dispositivo durante { $window } da janela, em flushes
    durante { $flushing } dela, { $requests } das que pode ter em andamento
verdict-processors-unknown = tempo de processador desconhecido
verdict-one-core = um worker, e seu núcleo { $busy } ocupado
verdict-computed = os workers calcularam durante { $share } do tempo
verdict-own = { $evidence }, { $own } com a própria carga
verdict-own-and-servers =
    { $evidence }, { $own } com a própria carga, { $servers } com seus servidores de banco de dados
remedy-server-processors =
    mais processadores para o servidor, ou um conjunto de dados que não caiba no cache dele, para que
    o drive seja mais exigido
remedy-processors =
    mais processadores ou mais rápidos, ou uma carga que calcule menos por byte: requisições maiores,
    sem compressão
verdict-others-waited = seus outros workers esperavam por essas
verdict-locks =
    os workers estavam fora do processador { $off } do tempo, e alguma de suas requisições no dispositivo
    apenas { $window } dele
remedy-locks =
    menos threads, ou vários conjuntos de dados ao mesmo tempo (`instances`), para que nenhuma espere
verdict-in-repeats = { $evidence } (em { $count } de { $repeats } repetições; { $others })
verdict-limit-in = { $limit } em { $count }
verdict-limits = { $first }, { $other }

## Differences in test conditions (src/analysis)
difference-fact = { $heading }: { $fact }
difference-setting = { $path }
difference-method = versão do método de medição
difference-preparation = Preparação
difference-temperature = Temperatura no início, { $step }
difference-own-runs = Medidos em execuções separadas
difference-one-after-other = Medidos um alvo após o outro
difference-unequally = o que mudou com o tempo os afetou de forma desigual
difference-nothing-done = nada
value-of = { $value } ({ $subjects })
values-and = { $first }, { $other }
on-this-host = Neste host: { $summary }
difference-times = { $times }

## Axes of steps (src/analysis)

## Figures (src/chart)
figure-nothing-measured = nada foi medido aqui
figure-seconds = segundos
figure-round = rodada
figure-share-no-longer = parcela das operações que não demoraram mais que isso
figure-convergence = Convergência para o estado estacionário
figure-convergence-in-rounds =
    { $metric } em rodadas de { $round }; últimas rodadas com sua reta de ajuste e média ± { $band }
figure-drive-of = { $subject }, drive { $drive }
hollow-points = { $caption } (vazado: a taxa solicitada não foi atingida por mais de 2 %)
hover-missed-its-rate = { $point }, não atingiu sua taxa
hover-interval = { $value } (95 %: { $low } a { $high })
hover-not-limited = { $bar }: não limitado pelo drive
caption-of-step = { $step }: { $caption }
caption-marked = { $caption } ({ $mark } não limitado pelo drive)
caption-outlined = { $caption } (contorno: não limitado pelo drive)
figure-queue-depth = profundidade de fila
figure-service-time = { $figure } do tempo de serviço de { $class }
figure-response-time = { $figure } do tempo de resposta de { $class }
figure-service-time-by-percentile = tempo de serviço de { $class } por percentil{ $at }
figure-response-time-by-percentile = tempo de resposta de { $class } por percentil{ $at }
figure-against-throughput = { $what } em função da vazão, por { $axis }
figure-overload = {"; "}a sobrecarga além do eixo foi omitida
figure-at = {" "}com { $axis } { $value }
figure-throughput = vazão
figure-ops-over-time = ops/s ao longo do tempo{ $at }
figure-of-each-drive = { $figure } de cada drive{ $at }
figure-outliers = Valores extremos{ $at } ao longo da janela, por causa ({ $count })
figure-slowest-outliers = Os valores extremos mais lentos{ $at } ao longo da janela, por causa ({ $count } de { $all })
figure-drive = drive { $number }
figure-of-instances = p99 de todas as instâncias juntas, e a média dos p99 de cada uma{ $at }
figure-pooled = em conjunto
figure-mean-of-instances = média dos p99 das instâncias
figure-by-neighbour = latência por carga vizinha{ $at }
figure-of-neighbour = { $name }: { $figure }
figures-lead = O valor principal de cada etapa
figures-megabytes = MB/s das cargas, cada uma em seu máximo, na mesma escala
figures-part = { $caption } ({ $number } de { $count })
verdict-near-ceiling = { $share } do que o Dyno gera aqui com este formato de carga
remedy-near-ceiling =
    mais threads onde houver processadores livres, requisições maiores, ou um host mais rápido
verdict-ceiling = teto do gerador { $ops } ops/s
figure-claimed = {"; "}afirmado: { $differences }
claimed-at = { $subject } { $value } com { $place }
claimed-against = { $value } em relação a { $other }
figure-a-minute = { $class } por minuto

section-durable = Custo da durabilidade
durable-how =
    As mesmas gravações tornadas duráveis de maneiras diferentes, pelo número de threads de gravação. FUA (force unit access)
    e o flush do fdatasync terminam quando os dados estão em mídia não volátil, ou em um cache que resiste à falta de
    energia. A parcela é a das ops/s das mesmas gravações não duráveis. Uma unidade cuja parcela permanece perto de 100 %
    confirma a gravação durável a partir de um cache que ela declara não volátil: proteção contra perda de energia, se a
    declaração for verdadeira, o que um corte de energia pode testar e esta medição não.
durable-not = não durável
durable-fdatasync = gravação + fdatasync
durable-commit = commit
durable-share = da não durável
durable-commits = Commits sincronizados no log pelo engine de um banco de dados
durable-figure = { $step }, ao lado das mesmas gravações duráveis de outra maneira e não duráveis: ops/s, escala logarítmica

# Load from several hosts
section-hosts = Carga de vários hosts ao mesmo tempo
hosts-how =
    Os pontos destes bundles começaram em um mesmo instante absoluto pelo relógio de cada host, e o relógio de
    cada host foi comparado com a mesma referência antes e depois da execução (NTP, RFC 5905 seção 8: o desvio é o
    que se soma ao relógio do host, e o valor verdadeiro está a no máximo metade do menor tempo de ida e volta). A
    janela comum é o que as janelas de todos os hosts compartilham, pela referência, da mais longa, descontado o que
    os relógios deixam em aberto. Onde ela é de 99 % ou mais, ops/s e MB/s são somas e as latências são dos
    histogramas combinados de todos os hosts; caso contrário não há soma.
hosts-unchecked = Sem somas: o relógio de { $host } não foi comparado antes e depois da execução.
hosts-clock =
    Sem somas: o relógio de { $host } estava a { $offset } da referência, e o limite é { $limit }. Faça todos os
    hosts seguirem um servidor de tempo e meça de novo.
hosts-missing = Sem soma de { $step }, repetição { $repeat }: { $host } não a mediu até o fim.
hosts-apart =
    Sem soma de { $step }, repetição { $repeat }: as janelas dos hosts compartilham { $share } da mais longa.
column-host = host
column-offset-before = desvio do relógio antes
column-offset-after = desvio do relógio depois
column-offset-limit = limite
column-reference = referência
column-common-window = janela comum

# Database servers
section-database-servers = Servidores de banco de dados, um a um
database-servers-how =
    As transações são as de todas as repetições. A taxa de cada servidor é a média das suas repetições,
    de modo que as taxas dos servidores somam o total. O p99 conjunto é o de todas as transações, dos
    histogramas combinados dos servidores; ao lado, a média dos p99 de cada servidor, como a publicam
    as análises de várias máquinas virtuais. O coeficiente de variação é o desvio padrão das taxas
    dos servidores dividido pela sua média. Processadores e limite de memória são os que o kernel informa;
    o limite inclui o cache de páginas.
column-servers = servidores
column-server = servidor
column-processors = processadores
column-memory-limit = limite de memória
column-transactions = transações
column-transactions-per-s = transações/s
column-transactions-per-s-sum = transações/s, soma
column-variation = coeficiente de variação
all-servers = todos os servidores
server-of-drive = { $drive }, servidor { $server }
shared-processors = { $processors } (compartilhados)
verdict-load-set =
    dos { $count } processadores reservados aos workers da carga, { $busy } estavam ocupados
verdict-servers-set =
    dos { $count } processadores reservados aos servidores de banco de dados, { $busy } estavam ocupados
remedy-load-set =
    mais processadores para a carga (`cpus` dos seus streams), ou menos para os servidores

## A frota
section-fleet = Frota
fleet-unknown-model = modelo desconhecido
fleet-drives = { $count ->
        [one] 1 drive
       *[other] { $count } drives
    }
fleet-figure = { $metric } de cada drive, por modelo e firmware; vazado: afastado do seu modelo
fleet-figure-by-host =
    { $metric } de cada drive, por modelo e firmware, uma linha para cada host; vazado: afastado do seu
    modelo
fleet-ordered =
    { $metric } dos drives de { $model } com a faixa de suas repetições; { $drive } é o mais distante da
    média
fleet-in-order = drives, do menor ao maior
fleet-how =
    Um drive é um sujeito, ou um drive de um grupo; o nível de um modelo é a média geométrica de seus
    drives, o de um drive a de suas repetições. A dispersão é um desvio padrão de logaritmos, por efeitos
    aleatórios de um fator: dos drives além de suas repetições, dos hosts além de seus drives. Um drive
    está afastado quando sua média difere da dos outros mais do que o acaso dá a 5 % para todos os drives
    da etapa juntos. Os intervalos de modelos tomam drives como efeito aleatório e valem para todos os
    modelos de uma etapa juntos.
fleet-better = drive a drive, { $better } é { $by } melhor que { $worse }, { $drives }
fleet-open = drive a drive, { $first } e { $other } não se distinguem: { $by }, { $drives }
fleet-apart =
    { $drive } está afastado de seus { $others } semelhantes de { $model }: { $value } contra { $usual }
fleet-apart-health = { $sentence } (seu registro de saúde: { $log })
fleet-more-apart = mais { $count } drives de { $model } estão afastados
fleet-barred = Os modelos não são comparados, pois diferem em: { $what }
fleet-lead = { $drives } de { $models ->
        [one] um modelo
       *[other] { $models } modelos
    }, { $apart ->
        [0] nenhum deles afastado dos semelhantes
        [one] um deles afastado dos semelhantes
       *[other] { $apart } deles afastados dos semelhantes
    }.
fleet-runs = { $count } bundles, iniciados de { $first } a { $last }
fleet-not-shown = { $drives } drives ao todo; nenhum modelo tem drives suficientes para uma amostra.
column-model = modelo
column-firmware = firmware
column-hosts = hosts
column-apart = afastados
column-scatter = dispersão de { $of }

## What published comparisons say of a step
course =
    { $subject } vai de { $from } ops/s{ $first_at } (média { $mean }, p99 { $p99 }) a um pico de
    { $to } ops/s{ $at } (média { $mean_there }, p99 { $p99_there })
course-of-mean =
    { $subject } vai de { $from } ops/s{ $first_at } (média { $mean }) a um pico de { $to } ops/s{ $at }
    (média { $there })
course-of-p99 =
    { $subject } vai de { $from } ops/s{ $first_at } (p99 { $p99 }) a um pico de { $to } ops/s{ $at }
    (p99 { $there })
beyond-threads =
    Mais de { $most } threads não foram testadas: os ops/s de { $subjects } ainda sobem nesse ponto
beyond-depth =
    Profundidades de fila acima de { $most } não foram testadas: os ops/s de { $subjects } ainda sobem nesse
    ponto
beyond-instances =
    Mais de { $most } instâncias não foram testadas: os ops/s de { $subjects } ainda sobem nesse ponto
saturated-threads =
    A partir de { $from } threads os processadores ficaram saturados ({ $subjects }): um drive mais rápido
    não apareceria ali
saturated-from =
    A partir de { $from } ({ $axis }) os processadores ficaram saturados ({ $subjects }): um drive mais
    rápido não apareceria ali
saturated-at =
    Os processadores ficaram saturados{ $at } ({ $subjects }): um drive mais rápido não apareceria ali
lower-by =
    { $better } tem { $what } { $difference } menor que { $worse }{ $at } ({ $own } contra { $other })
difference-at-size = { $difference } com { $size }
grows-with-size =
    A vantagem de { $better } sobre { $worse } em { $what } cresce com o tamanho do bloco: { $differences }
shrinks-with-size =
    A vantagem de { $better } sobre { $worse } em { $what } diminui com o tamanho do bloco: { $differences }
moves-from-to = { $figure } de { $low } a { $high }
drive-course = Drive { $drive } de { $subject }: { $moves } entre { $from } e { $to }
drive-level = Drive { $drive } de { $subject }: { $figures }
stream-levels = { $stream } de { $subject }{ $at }: { $figures }
total-writes =
    { $subject }: { $writes } DWPD × { $years } anos × 365 dias × { $capacity } = { $total } gravados no total
