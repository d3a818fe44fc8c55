// Draws of go-ycsb's zipfian generator in classes of ranks: the contents of ycsb-go-ycsb.txt.
//
//	go mod init x && go get github.com/pingcap/go-ycsb@v1.0.3 && go run ycsb-go-ycsb.go
package main

import (
	"fmt"
	"math/rand"

	"github.com/pingcap/go-ycsb/pkg/generator"
)

const (
	draws = 1_000_000
	// The constant that ScrambledZipfian has for 10^10 items.
	zetan = 26.46902820178302
)

func classes(items int64, gen *generator.Zipfian) {
	edges := []int64{0, 1, 2, 3, 5, 10, 100, 1_000, 100_000, 10_000_000}
	r := rand.New(rand.NewSource(1))
	counts := make([]int, len(edges))
	for i := 0; i < draws; i++ {
		rank, class := gen.Next(r), 0
		for class+1 < len(edges) && edges[class+1] <= rank {
			class++
		}
		counts[class]++
	}
	for class, count := range counts {
		if edges[class] < items {
			fmt.Println("zipfian", items, edges[class], count)
		}
	}
}

func main() {
	fmt.Println("# go-ycsb 1.0.3, pkg/generator, constant 0.99: items, first rank of a class, draws of 1,000,000")
	// One item more, as ScrambledZipfian has it.
	classes(10_000_000_000, generator.NewZipfian(0, 10_000_000_000, 0.99, zetan))
	classes(10_000, generator.NewZipfianWithItems(10_000, 0.99))
}
